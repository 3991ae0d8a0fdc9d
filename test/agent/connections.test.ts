import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { expectWhole, record, scratchFolder } from '../support/agent/agent.ts';
import { query, value } from '../support/agent/agent-run.ts';
import { root } from '../support/built.ts';
import { describeWith } from '../support/requirements.ts';

/** What came and went through a job’s TCP connections, by the kernel’s own counters. */

const JOB = join(root, 'test/agent/jobs/talks_to_servers.py');

interface Report {
  readonly pid: number;
  /** Of its server, by address. */
  readonly ports: Readonly<Record<string, number>>;
  readonly sent: number;
  readonly received: number;
}

/** A recording of the job, which connects once it is recorded and holds its connections until the end. */
async function recordTalk(args: readonly string[], before: readonly string[] = []) {
  const folder = scratchFolder();
  const recording = await record([...before, '/usr/bin/python3', JOB, folder], {
    ...{ folder, args },
    meanwhile: async ({ agent, said }) => {
      // By then its sockets were looked at once.
      await said('progress');
      writeFileSync(join(folder, 'go'), '');
      await expect.poll(() => existsSync(join(folder, 'report.json'))).toBe(true);
      agent.kill('SIGINT');
      await said('finished');
      writeFileSync(join(folder, 'end'), '');
    },
  });
  expect(recording.code, recording.stderr).toBe(0);
  expectWhole(recording);
  return { ...recording, told: recording.report() as Report };
}

type Talk = Awaited<ReturnType<typeof recordTalk>>;

/** The last row of each connection of the job whose `end` has that port. */
const lastRows = (file: string, end: 'own' | 'peer', port: number) =>
  query(
    file,
    `SELECT process.pid, own.text AS own, peer.text AS peer, bytes_received, bytes_sent, segments_sent,
       retransmits, min_rtt_ns > 0 AS has_round_trip, max(connection.start_ns), max(new_ns) > 0 AS is_new,
       count(new_ns) AS began
     FROM connection JOIN process ON process.id = process_id
     JOIN name AS own ON own.id = own_address_id JOIN name AS peer ON peer.id = peer_address_id
     WHERE ${end}_port = ${port} GROUP BY process_id, socket`,
  );

/** All that it says of itself is in the file, of both ends. */
function expectTold({ file, told }: Talk): void {
  expect(Object.keys(told.ports)).toContain('127.0.0.1');
  for (const [address, port] of Object.entries(told.ports)) {
    const ends = { own: address, peer: address, is_new: 1, began: 1 };
    const [client, ...more] = lastRows(file, 'peer', port);
    expect(more).toEqual([]);
    expect(client).toMatchObject({
      ...{ pid: told.pid, bytes_received: told.received, bytes_sent: told.sent },
      ...{ ...ends, has_round_trip: 1 },
    });
    const [server] = lastRows(file, 'own', port);
    expect(server).toMatchObject({
      ...{ bytes_received: told.sent, bytes_sent: told.received, ...ends },
    });
    expect(server?.pid).not.toBe(told.pid);
  }
  // No socket that listens, or is of no TCP.
  const connections = 'SELECT count(DISTINCT socket) FROM connection';
  expect(value(file, connections)).toBe(2 * Object.keys(told.ports).length);
  expect(value(file, provenance)).toBe('sampled');
}

const provenance = "SELECT kind FROM provenance WHERE table_name = 'connection'";

describeWith(['agent', 'bpf'], 'connections of a job', () => {
  test('are told with what came and went', async () => {
    expectTold(await recordTalk([]));
  });
});

describeWith(['agent'], 'connections of a job, without BPF', () => {
  test('are told with what came and went', async () => {
    expectTold(await recordTalk(['--no-bpf']));
  });

  test('are none of a job that has none, and of all processes of a machine', async () => {
    const recording = await record(['/bin/true'], { args: ['--no-bpf'] });
    expect(value(recording.file, 'SELECT count(*) FROM connection')).toBe(0);
    expect(value(recording.file, provenance)).toBe('sampled');
    const all = await record([], { args: ['--no-bpf', '--all', '--duration', '1s'] });
    expect(value(all.file, 'SELECT count(*) FROM connection')).toBe(0);
    expect(value(all.file, provenance)).toBe('absent');
  });
});

describeWith(['agent', 'networkNamespaces'], 'connections of a job in a network of its own', () => {
  test('are told, too', async () => {
    const enter = ['unshare', '--net', 'sh', '-c', 'ip link set lo up && exec "$@"', 'sh'];
    expectTold(await recordTalk(['--no-bpf'], enter));
  });
});
