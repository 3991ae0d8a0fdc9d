import { expect, test } from 'vitest';
import type { Contender, Contention } from '../../../src-main/shared/answers/explanation.ts';
import type { RowFacts } from '../../../src-main/shared/answers/row-facts.ts';
import { noEvents } from '../../../src-main/shared/model/event-ref.ts';
import { buildTrackGroups } from '../../../src-main/timeline/build/build-tracks.ts';
import type { TraceData } from '../../../src-main/timeline/model/trace-data.ts';
import { fakeSummary } from '../../../src-main/timeline/testing/fake-summary.ts';
import { type EventHit, locateEvent } from '../../../src-main/timeline/view/locate-event.ts';
import { toldOfWork } from '../../../src-main/timeline/view/told-work.ts';
import { eventDetails } from './event-details.ts';
import { eventReport } from './event-report.ts';

function dataOf(tables: TraceData['tables'], rows: Parameters<typeof fakeSummary>[0]): TraceData {
  const process = { pid: 7, parent: -1, name: 'python', role: 'main', roleBasis: '' } as const;
  const threads = [1, 2, 3].map((tid) => ({
    process: 0,
    tid,
    name: `t${tid}`,
    role: 'main' as const,
  }));
  const summary = fakeSummary(rows, { processes: [process], threads, names: ['nvme0n1', 'read'] });
  return { traceId: 'x', summary, tables };
}

type TableOfTest = 'off_cpu' | 'block_io' | 'gpu_work';

function hitOf(data: TraceData, table: TableOfTest, row: number): EventHit {
  const tracks = buildTrackGroups(data).flatMap((group) => group.tracks);
  const hit = locateEvent(data, tracks, { table, row });
  if (hit === undefined) throw new Error('not on the timeline');
  return hit;
}

/** What is told of a row: all that it holds, and `more`. */
function toldOf(data: TraceData, table: TableOfTest, row: number, more = {}): RowFacts {
  const columns = Object.entries<ArrayLike<number> | undefined>(data.tables[table] ?? {});
  const held = columns.map(([name, column]) => [name, column?.[row] ?? -1]);
  return {
    values: { ...Object.fromEntries(held), ...more },
    ...(table === 'gpu_work' && toldOfWork(data, row)),
  };
}

function reportOf(data: TraceData, table: TableOfTest, row: number) {
  const report = eventReport(data, hitOf(data, table, row), toldOf(data, table, row));
  const facts = Object.fromEntries(report.facts.map(({ label, value }) => [label, value]));
  return { ...report, facts };
}

test('tells what the whole row holds once it is here', () => {
  const off = {
    startNs: Float64Array.of(1_000),
    durationNs: Float64Array.of(5_000_000),
    thread: Int32Array.of(0),
    state: Int32Array.of(1),
  };
  const data = dataOf({ off_cpu: off } as unknown as TraceData['tables'], { off_cpu: 1 });
  const hit = hitOf(data, 'off_cpu', 0);
  const more = { syscall: 0, file: 1, throttledNs: 2_000, ioWait: 1, executedNs: 500 };
  const told = toldOf(data, 'off_cpu', 0, more);
  const labels = eventReport(data, hit, told).facts.map(({ label }) => label);
  const known = ['Duration', 'Start', 'Thread'];
  const later = ['In the system call', 'On', 'Counted as waiting for I/O'];
  expect(labels).toEqual(
    expect.arrayContaining([
      ...[...known, ...later, 'Throttled by a CPU quota', 'CPU time before it'],
    ]),
  );
  expect(eventDetails(data, hit, told).facts).toContainEqual(['In', 'read']);
  // Before that what is drawn is told, and nothing is said to be missing.
  const before = eventReport(data, hit);
  expect(before.facts.map(({ label }) => label)).toEqual(known);
  expect(before.wait).toEqual({ thread: 0, startNs: 1_000, endNs: 5_001_000 });
  expect(before.cannotTell).toEqual([]);
});

test('of the time in which it waited for a CPU a tooltip names who ran, once that is here', () => {
  const off = {
    startNs: Float64Array.of(1_000),
    durationNs: Float64Array.of(5_000_000),
    thread: Int32Array.of(0),
    state: Int32Array.of(0),
  };
  const data = dataOf({ off_cpu: off } as unknown as TraceData['tables'], { off_cpu: 1 });
  const hit = hitOf(data, 'off_cpu', 0);
  const ranInstead = (change: Partial<Contention> = {}) => {
    const nobody = { othersRanNs: 0, throttledNs: 0, idleNs: 0, unknownNs: 0, contenders: [] };
    const contention = { runnableNs: 5_000_000, note: '', ...nobody, ...change };
    const { facts } = eventDetails(data, hit, { ...toldOf(data, 'off_cpu', 0), contention });
    return spaced(facts.find(([label]) => label === 'Ran instead')?.[1]);
  };
  const contenders = [4, 3, 2, 1].map((at): Contender => {
    const label = { thread: at, process: at, pid: at, tid: at, name: `w${at}`, lineage: '' };
    const ran = { ns: at * 1e6, cpus: [], events: noEvents };
    return { ...label, role: 'other', relation: 'other', ...ran };
  });
  expect(ranInstead({ contenders })).toBe(
    'w4 · pid 4: 4.000 ms, w3 · pid 3: 3.000 ms, w2 · pid 2: 2.000 ms, 1 more',
  );
  expect(ranInstead({ throttledNs: 3, idleNs: 2 })).toBe('nobody: a CPU quota held it back');
  expect(ranInstead({ idleNs: 5 })).toBe('nobody: its CPU was idle');
  expect(ranInstead({ idleNs: 2, unknownNs: 3 })).toBe('not recorded');
  expect(eventDetails(data, hit).facts.map(([label]) => label)).not.toContain('Ran instead');
});

const spaced = (text: string | undefined) => text?.replaceAll('\u202f', ' ');

test('a wait says its state, its delay, who woke it and who ran next', () => {
  const off = {
    startNs: Float64Array.of(1_000, 9_000),
    durationNs: Float64Array.of(1_234_567, 500),
    thread: Int32Array.of(0, 0),
    state: Int32Array.of(1, 0),
    runQueueNs: Float64Array.of(2_000, -1),
    waker: Int32Array.of(1, -1),
    nextThread: Int32Array.of(2, -1),
  };
  const data = dataOf({ off_cpu: off } as unknown as TraceData['tables'], { off_cpu: 2 });
  const asleep = reportOf(data, 'off_cpu', 0);
  expect(asleep.name).toBe('Sleeping');
  expect(asleep.meaning).toMatch(/waited for something to happen/);
  expect(spaced(asleep.facts.Duration)).toBe('1.235 ms (1 234 567 ns)');
  expect(asleep.facts).toMatchObject({
    Thread: 'Training process · t1 · tid 1 · pid 7',
    'Woken by': 'Training process · t2 · tid 2',
    'Next on the CPU it left': 'Training process · t3 · tid 3',
  });
  expect(asleep.cannotTell).toEqual([]);
  const preempted = reportOf(data, 'off_cpu', 1);
  expect(preempted.name).toMatch(/^Waiting for a CPU/);
  expect(preempted.meaning).toMatch(/ready to run/);
  expect(preempted.cannotTell.map(({ question }) => question)).toEqual([
    'How much of it was waiting for a CPU?',
    'Who ran next on the CPU it left?',
  ]);
});

test('a block request says its size and its device, and nothing that is not known', () => {
  const io = {
    startNs: Float64Array.of(5),
    durationNs: Float64Array.of(300),
    thread: Int32Array.of(0),
    op: Uint16Array.of(1),
    bytes: Float64Array.of(4_096),
    device: Int32Array.of(0),
    sector: Float64Array.of(-1),
  };
  const data = dataOf({ block_io: io } as unknown as TraceData['tables'], { block_io: 1 });
  const { name, kind, facts, meaning } = reportOf(data, 'block_io', 0);
  expect([name, kind, meaning]).toEqual(['read', 'Block I/O', undefined]);
  expect(facts).toMatchObject({ Size: '4.000 KiB', Device: 'nvme0n1' });
  expect(facts).not.toHaveProperty('First sector');
});

test('GPU work says who asked for it, how long it queued and how fast it was', () => {
  const calls = {
    startNs: Float64Array.of(1_000, 5_000),
    durationNs: Float64Array.of(500, 3_000),
    thread: Int32Array.of(0, 0),
    op: Uint16Array.of(1, 1),
    parent: Int32Array.of(-1, -1),
  };
  const work = {
    startNs: Float64Array.of(2_000, 6_000, 6_500, 9_000),
    durationNs: Float64Array.of(1_000, 10, 10, 10),
    op: Uint16Array.of(0, 0, 0, 0),
    gpu: Int32Array.of(0, 0, 0, 0),
    process: Int32Array.of(0, 0, 0, 0),
    kind: Uint8Array.of(2, 1, 1, 1),
    bytes: Float64Array.of(24_000, -1, -1, -1),
    direction: Uint8Array.of(1, 0, 0, 0),
    call: Int32Array.of(0, 1, 1, -1),
  };
  const tables = { cuda_call: calls, gpu_work: work } as unknown as TraceData['tables'];
  const plain = dataOf(tables, { cuda_call: 2, gpu_work: 4 });
  const gpuWork = { ...plain.summary.gpuWork, readable: { 0: 'void ns::add<float>(int)' } };
  const gpus = [{ model: 'RTX' }];
  const data = { ...plain, summary: { ...plain.summary, gpuWork, gpus } };
  const copy = reportOf(data, 'gpu_work', 0);
  expect(copy.name).toBe('Copy H2D');
  expect(copy.facts).toMatchObject({ GPU: 'GPU 0 · RTX', Process: 'python · pid 7' });
  expect(spaced(copy.facts.Rate)).toBe('24.00 GB/s');
  expect(copy.submitter).toMatchObject({
    row: 0,
    name: 'read',
    thread: 'Training process · t1 · tid 1',
  });
  expect(spaced(copy.submitter?.delay)).toBe('1.000 µs, 500 ns after return');
  const second = reportOf(data, 'gpu_work', 2);
  expect([second.name, second.fullName]).toEqual(['add', 'void ns::add<float>(int)']);
  expect(second.submitter?.place).toEqual({ number: 2, of: 2 });
  expect(spaced(second.submitter?.delay)).toBe('1.500 µs, inside the call');
  expect(second.facts).not.toHaveProperty('Rate');
  const orphan = reportOf(data, 'gpu_work', 3);
  expect(orphan.submitter).toBeUndefined();
  expect(orphan.cannotTell.map(({ question }) => question)).toEqual(['Which call asked for it?']);
  // As long as nothing is told of it, nobody knows that nobody asked for it.
  expect(eventReport(data, hitOf(data, 'gpu_work', 3)).cannotTell).toEqual([]);
  const tooltip = Object.fromEntries(
    eventDetails(data, hitOf(data, 'gpu_work', 2), toldOf(data, 'gpu_work', 2)).facts,
  );
  expect(tooltip).toMatchObject({
    'Asked for by': 'read · Training process · t1 · tid 1',
    'In full': 'void ns::add<float>(int)',
  });
});

test('GPU work says its kind, its memory or its shape, and where in a graph it is', () => {
  const work = {
    startNs: Float64Array.of(1_000, 9_000),
    durationNs: Float64Array.of(100, 500),
    op: Uint16Array.of(1, 1),
    gpu: Int32Array.of(-1, -1),
    stream: Int32Array.of(-1, -1),
    kind: Uint8Array.of(2, 1),
    bytes: Float64Array.of(4096, -1),
    direction: Uint8Array.of(1, 0),
    sourceMemory: Uint8Array.of(1, 0),
    destinationMemory: Uint8Array.of(5, 0),
    gridX: Int32Array.of(-1, 64),
    gridY: Int32Array.of(-1, 1),
    gridZ: Int32Array.of(-1, 1),
    blockX: Int32Array.of(-1, 128),
    graph: Uint32Array.of(0, 7),
    node: Float64Array.of(-1, 9),
  };
  const data = dataOf({ gpu_work: work } as unknown as TraceData['tables'], { gpu_work: 2 });
  const copy = reportOf(data, 'gpu_work', 0).facts;
  expect(copy).toMatchObject({
    Kind: 'copy',
    Size: '4.000 KiB',
    Direction: 'H2D',
    'Memory it read': 'pinned',
    'Memory it wrote': 'device',
  });
  expect(Object.keys(copy)).not.toContain('Grid');
  expect(reportOf(data, 'gpu_work', 1).facts).toMatchObject({
    Kind: 'kernel',
    Grid: '64 × 1 × 1 blocks',
    Block: '128 × 1 × 1 threads',
    'CUDA graph': '7',
    'Node of the graph': '9',
  });
});
