import { describe, expect, test } from 'vitest';
import { ingeroTrace, openIngero } from '../../../../test/fixtures/ingero/open.ts';
import type { Trace } from '../../../shared/model/trace.ts';
import { severityText } from '../../../shared/words/source-findings.ts';

/** Files of jobs and recorders unlike the published ones: what they say is told as they say it. */

const MS = 1_000_000;
const SECOND = 1_000 * MS;
const fork = (pid: number, child: number, atMs: number) => ({
  ...{ pid, source: 3, op: 7, arg1: child },
  timestampNs: atMs * MS,
});
const launch = (pid: number, atMs: number) => ({
  ...{ pid, source: 1, op: 3, durationNs: 5000 },
  timestampNs: atMs * MS,
});

describe('children that the file names', () => {
  /** `tid` of a thread → pid of the process it is in. */
  const processOf = ({ processes, threads }: Trace, tid: number) =>
    processes[threads.find((thread) => thread.tid === tid)?.process ?? -1];

  test('are processes with that name, below who started them', () => {
    const trace = ingeroTrace({
      events: [launch(100, 1), fork(100, 300, 2), fork(100, 301, 3)],
      processNames: { 100: 'python3', 300: 'ptxas', 301: 'python3' },
    });
    const compiler = processOf(trace, 300);
    expect(compiler).toMatchObject({ pid: 300, name: 'ptxas', startNs: 2 * MS });
    expect(trace.processes[compiler?.parent ?? -1]?.pid).toBe(100);
    expect(processOf(trace, 301)?.pid).toBe(100);
  });

  test('are called as the program they began last, not as their parent', () => {
    const exec = (pid: number, comm: string, atMs: number) => ({
      ...{ pid, source: 3, op: 5, comm },
      timestampNs: atMs * MS,
    });
    const trace = ingeroTrace({
      events: [launch(100, 1), fork(100, 300, 2), exec(300, 'gcc', 4), exec(300, 'sh', 3)],
      processNames: { 100: 'python3', 300: 'python3' },
    });
    expect(processOf(trace, 300)?.name).toBe('gcc');
  });

  test('are no threads that have a name of their own', () => {
    const names = [
      'pt_autograd_0',
      'cuda-EvtHandlr',
      'ZMQbg/IO/0',
      'pt_data_pin',
      'tokio-runtime-w',
    ];
    const trace = ingeroTrace({
      events: [launch(100, 1), ...names.map((_, at) => fork(100, 300 + at, 2 + at))],
      processNames: {
        100: 'python3',
        ...Object.fromEntries(names.map((name, at) => [300 + at, name])),
      },
    });
    expect(trace.processes.map(({ pid }) => pid)).toEqual([100]);
    expect(trace.threads.slice(1).map(({ name }) => name)).toEqual(names);
  });

  test('are DataLoader workers, but not a worker’s thread that bears the name', () => {
    const trace = ingeroTrace({
      events: [launch(100, 1), fork(100, 300, 2), fork(100, 301, 3), fork(300, 302, 4)],
      processNames: {
        100: 'python3',
        300: 'python3',
        301: 'pt_data_worker',
        302: 'pt_data_worker',
      },
    });
    expect(processOf(trace, 301)?.pid).toBe(301);
    expect(processOf(trace, 302)?.pid).toBe(300);
  });
});

describe('a recorder’s chains', () => {
  const chain = (atNs: number, severity: string, p99Us: number, node?: string) => ({
    ...{ atNs, severity, p99Us, p50Us: 10, op: 'cudaMalloc', causes: ['HOST:sched_switch'] },
    summary: `${severity} ${p99Us}`,
    ...(node === undefined ? {} : { node }),
  });

  test('keep each severity with its count; the worst of the most severe stands for them', () => {
    const { sourceFindings } = ingeroTrace({
      chains: [
        chain(1 * SECOND, 'HIGH', 900),
        chain(2 * SECOND, 'HIGH', 400),
        ...Array.from({ length: 88 }, (_, at) => chain((3 + at) * SECOND, 'MEDIUM', 30 + at)),
      ],
    });
    expect(sourceFindings).toHaveLength(1);
    const [finding] = sourceFindings;
    expect(finding).toMatchObject({ severity: 'HIGH', summary: 'HIGH 900' });
    expect(severityText(finding ?? { occurrences: [] })).toBe(
      '2 high (worst 90.0×), 88 medium (worst 11.7×)',
    );
  });

  test('of a severity that Ingero did not write yet stay as they are written, and stand above low', () => {
    const { sourceFindings } = ingeroTrace({
      chains: [
        chain(1, 'LOW', 900),
        { ...chain(2, 'CRITICAL', 50), causes: ['IO:block_read'] },
        { ...chain(3, 'pag\u202eed', 50), causes: ['NET:net_send'] },
      ],
    });
    expect(sourceFindings.map(({ severity }) => severity)).toEqual([
      'CRITICAL',
      'pag\ufffded',
      'LOW',
    ]);
    expect(severityText(sourceFindings[0] ?? { occurrences: [] })).toBe('1 critical (worst 5.0×)');
  });

  test('of two machines are never folded into one', () => {
    const { sourceFindings } = ingeroTrace({
      chains: [chain(1, 'HIGH', 50, 'node-01'), chain(2, 'HIGH', 4100, 'node-02')],
    });
    expect(sourceFindings.map(({ node, summary }) => [node, summary])).toEqual([
      ['node-01', 'HIGH 50'],
      ['node-02', 'HIGH 4100'],
    ]);
  });

  test('of files without machines and ratios are told as far as they say', () => {
    const { sourceFindings } = ingeroTrace(
      {
        chains: [chain(1, 'LOW', 50)],
        sql: 'ALTER TABLE causal_chains DROP COLUMN tail_ratio',
      },
      '0.8.1',
    );
    expect(sourceFindings[0]?.node).toBeUndefined();
    expect(severityText(sourceFindings[0] ?? { occurrences: [] })).toBe('1 low (worst 5.0×)');
  });
});

test('a snapshot interval is the median, with the longest gap where one stands out', () => {
  const regular = [0, 2, 4, 6, 8].map((second) => second * SECOND);
  const noteOf = (snapshotsNs: number[]) => ingeroTrace({ snapshotsNs }).tables.sample.provenance;
  expect(noteOf(regular)).toMatchObject({
    everyNs: 2 * SECOND,
    note: 'System snapshots, one about every 2.000 s.',
  });
  expect(noteOf([...regular, 48 * SECOND])).toMatchObject({
    everyNs: 2 * SECOND,
    note: 'System snapshots, one about every 2.000 s; the longest gap is 40.00 s.',
  });
});

describe('a file of which every row was rejected', () => {
  const event = { ...launch(100, 1), durationNs: -5 };

  test('is refused, with their number', () => {
    const result = openIngero({ events: [event, event, event].map((row) => ({ ...row })) });
    expect(result).toMatchObject({ ok: false, error: { code: 'file-damaged' } });
    expect(result.ok ? '' : result.error.message).toContain('in all 3 rows that should say');
  });

  test('is refused though it has snapshots, chains and names', () => {
    const result = openIngero(
      {
        events: [event],
        snapshotsNs: [0, SECOND],
        processNames: { 100: 'python3' },
      },
      '0.10.0',
    );
    expect(result.ok ? 'ok' : result.error.code).toBe('file-damaged');
  });

  test('is refused though no time is a number, as it is not empty', () => {
    const result = openIngero({ events: [event], sql: "UPDATE events SET timestamp = 'noon'" });
    expect(result).toMatchObject({ error: { code: 'file-damaged' } });
    expect(result.ok ? '' : result.error.message).toContain('in the only row');
  });

  test('but not where nothing else than snapshots was recorded', () => {
    const opened = openIngero({ events: [], snapshotsNs: [0, SECOND] });
    expect(opened.ok && opened.value.tables.sample.rows).toBeGreaterThan(0);
  });

  test('but not where one row or one sum can be read', () => {
    expect(openIngero({ events: [event, launch(100, 2)] }).ok).toBe(true);
    const sums = [{ pid: 100, source: 1, op: 3, count: 50 }];
    expect(openIngero({ events: [event], sums }).ok).toBe(true);
  });
});
