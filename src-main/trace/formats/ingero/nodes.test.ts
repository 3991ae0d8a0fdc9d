import { describe, expect, test } from 'vitest';
import { BEGIN_UNIX_NS, type FixtureContent } from '../../../../test/fixtures/ingero/make.ts';
import { ingeroTrace } from '../../../../test/fixtures/ingero/open.ts';
import { hostClocks } from '../../../shared/model/clocks.ts';
import { hostLabel, hostOfSample, UNNAMED_HOST } from '../../../shared/model/hosts.ts';
import type { Trace } from '../../../shared/model/trace.ts';
import { clockNotices } from '../../../shared/words/clock-words.ts';
import { MAX_NODES } from './nodes.ts';

/** Files of several machines, as `ingero merge` writes them: nothing of two machines becomes one. */

const MS = 1_000_000;
const launch = (pid: number, atMs: number, node: string, more = {}) => ({
  ...{ pid, source: 1, op: 3, durationNs: 5000, node },
  timestampNs: atMs * MS,
  ...more,
});
const session = (node: string, gpu: string, cores: number) =>
  `INSERT INTO sessions (started_at, gpu_model, cpu_cores, ingero_ver, node)
   VALUES (${BEGIN_UNIX_NS}, '${gpu}, 1024 MiB', ${cores}, '0.17.0', '${node}');`;

/** Process 96 on two machines, and one more on the second. */
const two: FixtureContent = {
  withSession: false,
  events: [
    launch(96, 1, 'gpu-2', { arg1: 7, comm: 'serve' }),
    launch(96, 2, 'gpu-10', { arg1: 7, comm: 'train' }),
    launch(200, 3, 'gpu-10'),
  ],
  sql: session('gpu-2', 'A100', 8) + session('gpu-10', 'H100', 64),
};

const processes = (trace: Trace) =>
  trace.processes.map(({ pid, name, host = 0 }) => `${pid} ${name} on ${hostLabel(trace, host)}`);
const texts = ({ notices }: Trace) => notices.map(({ text }) => text);

describe('a file of two machines', () => {
  test('keeps processes of one number apart, each with its name, calls and stream', () => {
    const trace = ingeroTrace(two);
    expect(processes(trace)).toEqual([
      '96 serve on gpu-2',
      '96 train on gpu-10',
      '200 unknown on gpu-10',
    ]);
    const { thread, stream, startNs } = trace.tables.cuda_call.columns;
    expect([...startNs]).toEqual([MS, 2 * MS, 3 * MS]);
    expect([...thread].map((at) => trace.threads[at].process)).toEqual([0, 1, 2]);
    expect(stream?.[0]).not.toBe(stream?.[1]);
  });

  test('gives each machine what its session says of it', () => {
    const { hosts, gpus } = ingeroTrace(two);
    expect(hosts).toEqual([
      { hostname: 'gpu-2', cpuCount: 8 },
      { hostname: 'gpu-10', cpuCount: 64 },
    ]);
    expect(gpus.map(({ model, host = 0 }) => [model, host])).toEqual([
      ['A100', 0],
      ['H100', 1],
    ]);
  });

  test('says that nobody knows how far the clocks are apart', () => {
    const trace = ingeroTrace(two);
    expect(trace.clocks).toEqual([
      { offsetNs: 0, readings: [] },
      { host: 1, offsetNs: 0, readings: [] },
    ]);
    expect(clockNotices(trace, hostClocks(trace))[0]?.text).toContain(
      'Recorded on 2 machines, each by its own clock. How far these clocks are apart was not measured',
    );
  });

  test('takes names, sums and labels for those of the machine that has the number', () => {
    const trace = ingeroTrace({
      ...two,
      processNames: { 96: 'whose?', 200: 'python3' },
      sums: [
        { pid: 200, source: 1, op: 3, count: 50 },
        { pid: 96, source: 1, op: 3, count: 7 },
        { pid: 5, source: 1, op: 3, count: 9 },
      ],
      sql: `${two.sql} INSERT INTO annotations (timestamp, labels, pid)
        VALUES (${BEGIN_UNIX_NS}, '{"a":"1"}', 200), (${BEGIN_UNIX_NS}, '{"b":"1"}', 0)`,
    });
    expect(processes(trace)).toEqual([
      '96 serve on gpu-2',
      '96 train on gpu-10',
      '200 python3 on gpu-10',
      `5 unknown on ${UNNAMED_HOST}`,
    ]);
    const { count, thread } = trace.tables.aggregate.columns;
    const counted = [...count].map((sum, row) => [trace.threads[thread[row]]?.tid, sum]);
    expect(counted.toSorted()).toEqual([
      [200, 50],
      [5, 9],
    ]);
    expect(texts(trace).join()).toContain(
      '1 sum is left out: several machines have a process of that number',
    );
    expect(texts(trace).join()).toContain(`1 sum, 1 label: shown under “${UNNAMED_HOST}”`);
  });

  test('shows snapshots, of which nobody says the machine, as those of none that is named', () => {
    const trace = ingeroTrace({ ...two, snapshotsNs: [0, 5 * MS] });
    const { rows } = trace.tables.sample;
    const labels = Array.from({ length: rows }, (_, row) =>
      hostLabel(trace, hostOfSample(trace, row)),
    );
    expect(new Set(labels)).toEqual(new Set([UNNAMED_HOST]));
    expect(texts(trace).join()).toContain('2 system snapshots');
  });

  test('takes the machine of a sum or snapshot from the file where it says it', () => {
    const trace = ingeroTrace({
      ...two,
      snapshotsNs: [0],
      sums: [{ pid: 96, source: 1, op: 3, count: 7 }],
      sql: `${two.sql} ALTER TABLE event_aggregates ADD COLUMN node TEXT DEFAULT 'gpu-10';
        ALTER TABLE system_snapshots ADD COLUMN node TEXT DEFAULT 'gpu-2'`,
    });
    const { aggregate, sample } = trace.tables;
    expect(trace.threads[aggregate.columns.thread[0]]?.process).toBe(1);
    expect([...new Set(sample.columns.host)]).toEqual([0]);
    expect(trace.hosts).toHaveLength(2);
  });

  test('says what is complete of which machine', () => {
    const { cuda_call } = ingeroTrace({
      ...two,
      sums: [{ pid: 200, source: 1, op: 3, count: 50 }],
    }).tables;
    expect(cuda_call.provenance.kind).toBe('partial');
    expect(cuda_call.provenance.note).toContain('gpu-10: ');
    expect(cuda_call.provenance.note).toContain('gpu-2: ');
  });

  test('does not say of sums that may be of any machine that there are none', () => {
    const away = { pid: 96, tid: 96, source: 3, op: 1, durationNs: 1_000, arg1: 999 };
    const events = ['gpu-2', 'gpu-10'].map((node, at) => ({ ...away, node, timestampNs: at * MS }));
    const counted = { pid: 96, source: 3, op: 1, count: 40 };
    const { note } = ingeroTrace({ ...two, events, sums: [counted] }).tables.off_cpu.provenance;
    expect(note).toContain('the file counts them for several machines together');
    expect(note).not.toMatch(/does not say|1 of 1/);
  });

  test('tells what is left out because nobody knows whose it is, with its count', () => {
    const trace = ingeroTrace({
      ...two,
      sums: [
        { pid: 96, source: 3, op: 3, count: 1_430_581 },
        { pid: 96, source: 3, op: 2, count: 489 },
        { pid: 5, source: 3, op: 2, count: 397 },
      ],
    });
    const { page_alloc, wakeup, block_io, aggregate } = trace.tables;
    expect(page_alloc.provenance).toEqual({
      kind: 'absent',
      note: 'Left out: which machine they belong to is not known. The sums that are left out count 1,430,581 page allocations of processes whose number several machines have.',
    });
    expect(wakeup.provenance.note).toBe(
      `gpu-2, gpu-10: none. Left out: which machine they belong to is not known. ${UNNAMED_HOST}: Ingero kept 397 wake-ups as sums per minute and process only. The sums that are left out count 489 wake-ups of processes whose number several machines have.`,
    );
    expect(block_io.provenance.note).toBe(
      'This Ingero file has no block requests, single or counted.',
    );
    expect(aggregate.provenance.note).toContain('2 sums are left out: of processes');
    expect(trace.notices.map(({ text }) => text).join()).toContain('2 sums are left out');
  });

  test('does not say of one machine’s lack that the file has none', () => {
    const fork = { pid: 200, source: 3, op: 7, timestampNs: 4 * MS, arg1: 201, node: 'gpu-10' };
    const { process_event, sample } = ingeroTrace({
      ...two,
      events: [...(two.events ?? []), fork],
      snapshotsNs: [0],
    }).tables;
    expect(process_event.provenance.note).toContain(
      'gpu-2: none. The file has those of other machines only.',
    );
    expect(sample.provenance.note).toContain(
      'gpu-2, gpu-10: none. The file names no machine for them.',
    );
  });

  describe('that holds all that was counted of a number that both have', () => {
    const away = (atMs: number, node: string) => ({
      ...{ pid: 96, tid: 96, source: 3, op: 1, durationNs: 1_000, arg1: 999, node },
      timestampNs: atMs * MS,
    });
    const events = [...(two.events ?? []), away(1, 'gpu-2'), away(2, 'gpu-10'), away(3, 'gpu-10')];
    const sums = (calls: number, stored: number, totalNs = 10_000) => [
      { pid: 96, source: 1, op: 3, count: calls, stored, totalNs },
      { pid: 200, source: 1, op: 3, count: 1, stored: 1, totalNs: 5_000 },
      { pid: 96, source: 3, op: 1, count: 3, stored: 3, totalNs: 3_000 },
    ];

    test('is complete: each machine has the sums of its own', () => {
      const trace = ingeroTrace({ ...two, events, sums: sums(2, 2) });
      expect(trace.tables.cuda_call.provenance.kind).toBe('exact');
      expect(trace.tables.off_cpu.provenance.note).toContain(
        'gpu-10: All 2 switches Ingero counted are stored, in every thread and time bucket',
      );
      const { count, stored, totalNs, thread } = trace.tables.aggregate.columns;
      const own = [...thread].map((at, row) => {
        const { host = 0 } = trace.processes[trace.threads[at].process];
        return [hostLabel(trace, host), count[row], stored?.[row], totalNs?.[row]];
      });
      expect(own.map(String).sort()).toEqual([
        'gpu-10,1,1,5000',
        'gpu-10,1,1,5000',
        'gpu-10,2,2,2000',
        'gpu-2,1,1,1000',
        'gpu-2,1,1,5000',
      ]);
      expect(texts(trace).join()).not.toContain('left out');
    });

    test.each([
      ['fewer are stored than were counted', sums(3, 3, 15_000)],
      ['fewer were written than counted', sums(2, 1)],
      ['they took another time', sums(2, 2, 11_000)],
    ])('is not where %s', (_, some) => {
      const trace = ingeroTrace({ ...two, events, sums: some });
      expect(trace.tables.cuda_call.provenance.kind).toBe('partial');
      expect(texts(trace).join()).toContain('1 sum is left out');
    });
  });

  test('keeps the chains of each, at their times', () => {
    const chain = (node: string, atNs: number) => ({
      ...{
        atNs,
        severity: 'HIGH',
        op: 'cudaMalloc',
        p50Us: 1,
        p99Us: 9,
        causes: ['HOST:oom'],
        node,
      },
    });
    const { sourceFindings } = ingeroTrace({
      ...two,
      chains: [chain('gpu-2', 5 * MS), chain('gpu-10', 6 * MS)],
    });
    const told = sourceFindings.map(({ node, occurrences }) => [node, occurrences[0]?.detectedNs]);
    expect(told).toEqual([
      ['gpu-2', 5 * MS],
      ['gpu-10', 6 * MS],
    ]);
  });
});

describe('machines', () => {
  test('of which a file names one are one, also in rows from before it named any', () => {
    const trace = ingeroTrace({ events: [launch(96, 1, ''), launch(96, 2, 'gpu-1')] });
    expect(trace.hosts).toHaveLength(1);
    expect(trace.processes).toHaveLength(1);
    expect(texts(trace).join()).not.toContain('machine');
  });

  test('that rows don’t name are no other’s', () => {
    const trace = ingeroTrace({
      events: [launch(96, 1, 'a'), launch(96, 2, ''), launch(96, 3, 'b'), launch(96, 4, '  ')],
    });
    expect(processes(trace)).toEqual([
      '96 unknown on a',
      '96 unknown on b',
      `96 unknown on ${UNNAMED_HOST}`,
    ]);
    expect(texts(trace).join()).toContain('does not name the machine of 2 events');
  });

  test.each(['NULL', '5', "x'00ff'", "''"])('called %s are not named', (node) => {
    const trace = ingeroTrace({
      events: [launch(96, 1, 'a'), launch(96, 2, 'b'), launch(97, 3, 'c')],
      // The column of a file from elsewhere may allow what Ingero's does not.
      sql: `ALTER TABLE events DROP COLUMN node; ALTER TABLE events ADD COLUMN node;
        UPDATE events SET node = CASE pid WHEN 97 THEN ${node} ELSE substr(id, 1, 1) END`,
    });
    expect(trace.hosts.map(({ hostname }) => hostname)).toEqual(['a', 'b', UNNAMED_HOST]);
  });

  test('whose names differ only in what nobody sees are one', () => {
    const trace = ingeroTrace({ events: [launch(96, 1, 'a'), launch(96, 2, ' a ')] });
    expect(trace.hosts).toHaveLength(1);
  });

  test('are told apart as far as there are not too many', () => {
    const many = 20_000;
    const trace = ingeroTrace({
      events: [launch(96, 1, 'most'), launch(96, 2, 'most')],
      sql: `WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ${many})
        INSERT INTO events (id, timestamp, pid, tid, source, op, duration, node)
        SELECT i, ${BEGIN_UNIX_NS} + i, 96, 96, 1, 3, 5, 'node' || i FROM n`,
    });
    expect(trace.hosts).toHaveLength(MAX_NODES + 1);
    expect(trace.hosts.some(({ hostname }) => hostname === 'most')).toBe(true);
    expect(trace.hosts.at(-1)?.hostname).toBe(UNNAMED_HOST);
    expect(trace.tables.cuda_call.rows).toBe(many + 2);
    expect(texts(trace).join()).toContain('The file names 20,001 machines: the 256 with the most');
  });
});
