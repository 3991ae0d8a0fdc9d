import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { sharedLock } from '../../src-main/analysis/threads/shared-lock.ts';
import { expectWhole, record, scratchFolder } from '../support/agent/agent.ts';
import { query } from '../support/agent/agent-run.ts';
import { root } from '../support/built.ts';
import { describeWith } from '../support/requirements.ts';

/** A wait for another process is told with what it was for, and who was at the other end. */

interface Wait {
  readonly kind: string;
  /** Of the other process. */
  readonly pid: number;
  /** CLOCK_MONOTONIC. */
  readonly startNs: number;
  readonly endNs: number;
}

interface Report {
  readonly pid: number;
  readonly ports: Readonly<Record<string, number>>;
  readonly waits: readonly Wait[];
}

interface Row {
  readonly name: string | null;
  readonly wakerPid: number | null;
}

/** The longest sleep of the job’s first process in that time. */
function rowOf(file: string, pid: number, { startNs, endNs }: Wait): Row {
  const [row] = query(
    file,
    `SELECT name.text AS name, waker_process.pid AS wakerPid
     FROM off_cpu JOIN meta ON meta.key = 'begin_monotonic_ns'
       JOIN thread ON thread.id = off_cpu.thread_id JOIN process ON process.id = thread.process_id
       LEFT JOIN name ON name.id = file_id
       LEFT JOIN thread AS waker ON waker.id = waker_id
       LEFT JOIN process AS waker_process ON waker_process.id = waker.process_id
     WHERE state > 0 AND process.pid = ${pid}
       AND off_cpu.start_ns + meta.value BETWEEN ${startNs} AND ${endNs}
     ORDER BY off_cpu.duration_ns - run_queue_ns DESC LIMIT 1`,
  );
  return row as unknown as Row;
}

describeWith(['agent', 'bpf'], 'a wait for another process', () => {
  test('has the name of what it was for, and of who ended it', async () => {
    const folder = scratchFolder();
    const job = ['/usr/bin/python3', join(root, 'test/agent/jobs/waits_for_others.py'), folder];
    const recording = await record(job, { folder });
    const trace = expectWhole(recording);
    const { pid, ports, waits } = recording.report() as unknown as Report;
    const told = new Map<string, Set<string>>();
    for (const wait of waits) {
      // A peer that was quick, or a CPU that was not: nobody slept for it.
      if (wait.kind === 'sqlite' || wait.endNs - wait.startNs < 10e6) continue;
      const { name, wakerPid } = rowOf(recording.file, pid, wait);
      const by = wakerPid === wait.pid ? ', by it' : '';
      const text = `${name?.replace(`pid ${wait.pid})`, 'its pid)')}${by}`;
      told.set(wait.kind, (told.get(wait.kind) ?? new Set()).add(text));
    }
    const port = (kind: string) => `socket to 127.0.0.1:${ports[kind]}`;
    expect([...(told.get('pipe read') ?? [])]).toEqual(['pipe, by it']);
    expect([...(told.get('pipe write') ?? [])]).toEqual(['pipe, by it']);
    expect([...(told.get('fifo') ?? [])]).toEqual([`${join(folder, 'fifo')} (named pipe), by it`]);
    expect([...(told.get('unix') ?? [])]).toEqual(['socket, by it']);
    // It takes a look at the machine’s connections to know the process: not at each wait.
    for (const kind of ['tcp', 'tcp with timeout'])
      for (const text of told.get(kind) ?? [])
        expect([port(kind), `${port(kind)} (python3, its pid)`]).toContain(text);
    expect(
      told.get('tcp')?.has(`${port('tcp')} (python3, its pid)`),
      `${[...(told.get('tcp') ?? [])]}`,
    ).toBe(true);
    expect(told.get('tcp with timeout')?.size).toBeGreaterThan(0);
    // So does one at what an epoll instance watches.
    const polled = [...(told.get('epoll') ?? [])].filter((text) => text !== 'eventpoll');
    expect(polled.length).toBeGreaterThan(0);
    for (const text of polled)
      expect([port('epoll'), `${port('epoll')} (python3, its pid)`]).toContain(text);
    const [semaphore] = told.get('semaphore') ?? [];
    expect(semaphore).toMatch(/^shared memory \/dev\/shm\/sem\.\w+, by it$/);
    expect([...(told.get('flock') ?? [])][0]).toMatch(/\/flocked \(\w+\), by it$/);
    expect([...(told.get('record lock') ?? [])][0]).toMatch(/\/records \(\w+\), by it$/);
    // SQLite is told by its sleeps, its database by the files that it waited for.
    const rows = Array.from({ length: trace.tables.off_cpu.rows }, (_, row) => row);
    const locks = rows.map((row) => sharedLock(trace, row)).filter((lock) => lock !== undefined);
    expect(new Set(locks.map(({ kind }) => kind))).toEqual(
      new Set(['memory', 'flock', 'record lock', 'sqlite']),
    );
    const text = `SQLite’s lock of ${join(folder, 'rows.sqlite')}`;
    // Nobody waits for files in memory, where /tmp is that.
    for (const lock of locks.filter(({ kind }) => kind === 'sqlite'))
      expect([text, 'SQLite’s lock of a database']).toContain(lock.text);
  });
});

describeWith(['agent', 'bpf', 'fuse'], 'a wait for a file system in user space', () => {
  test('has the file, the file system, and its process as who ended it', async () => {
    const folder = scratchFolder();
    const mountPoint = join(folder, 'mounted');
    mkdirSync(mountPoint);
    const job = ['/usr/bin/python3', join(root, 'test/agent/jobs/slow_file_system.py'), mountPoint];
    const recording = await record(job, { folder });
    const { pid, path, waits } = recording.report() as unknown as Report & { path: string };
    const rows = waits.map((wait) => rowOf(recording.file, pid, wait));
    const expected = { name: `${path} (fuse.slow)`, wakerPid: waits[0]?.pid };
    expect(rows).toEqual(waits.map(() => expected));
  });
});
