import { describe, expect, test } from 'vitest';
import { eventDetails } from '../../../src-renderer/state/timeline/event-details.ts';
import type { TraceSummary } from '../../shared/answers/summary.ts';
import type { TableName } from '../../shared/model/schema.ts';
import type { Provenance, Role } from '../../shared/model/trace.ts';
import type { LoadedTables, TraceData } from '../model/trace-data.ts';
import {
  type EventTrack,
  isEventTrack,
  mayBeLost,
  showsThread,
  type Track,
  type TrackGroup,
  threadAt,
} from '../model/track-model.ts';
import { fakeSummary } from '../testing/fake-summary.ts';
import { startsOf } from '../testing/lane-times.ts';
import { layoutTracks } from '../view/layout-tracks.ts';
import { type EventHit, locateEvent } from '../view/locate-event.ts';
import { neighbour, slowCalls } from '../view/navigation.ts';
import { matchesTrack, parseFilter, searchText } from '../view/track-filter.ts';
import { buildTrackGroups, lostStretches, overviewLane } from './build-tracks.ts';

function process(pid: number, role: Role) {
  return { pid, name: `p${pid}`, parent: -1, role, roleBasis: 'test' };
}

const summary = fakeSummary(
  { cuda_call: 4, off_cpu: 3, sample: 2, aggregate: 2 },
  {
    gpus: [{ model: 'GPU' }],
    processes: [process(10, 'main'), process(20, 'dataloader-worker'), process(30, 'other')],
    threads: [
      { tid: 10, process: 0, name: 'main', role: 'main' },
      { tid: 20, process: 1, name: 'worker', role: 'dataloader-worker' },
      { tid: 30, process: 2, name: 'x', role: 'other' },
    ],
    names: ['cudaMemcpyAsync', 'cuMemcpy', 'sched_switch', 'CPU (%)', 'cpu_sample'],
    nameSources: ['CUDA', 'DRIVER', 'HOST', '', 'LOST'],
    streams: ['stream 7'],
  },
);

/** The trace with another provenance of one table. */
function withProvenance(table: TableName, provenance: Provenance): TraceData {
  const changed = { ...summary.tables[table], provenance };
  return { ...data, summary: { ...summary, tables: { ...summary.tables, [table]: changed } } };
}

const tables: LoadedTables = {
  cuda_call: {
    startNs: Float64Array.of(100, 110, 500, 900),
    durationNs: Float64Array.of(50, 10, 80, 1),
    thread: Int32Array.of(0, 0, 0, -1),
    op: Uint16Array.of(0, 1, 0, 999),
    bytes: Float64Array.of(4096, -1, -1, -1),
    direction: Uint8Array.of(1, 0, 0, 0),
    parent: Int32Array.of(-1, 0, -1, -1),
  },
  off_cpu: {
    startNs: Float64Array.of(300, 200, 700),
    durationNs: Float64Array.of(10, 20, 30),
    thread: Int32Array.of(0, 1, 0),
    state: Int32Array.of(1, 0, 0),
  },
  sample: {
    startNs: Float64Array.of(0, 1e9),
    metric: Uint16Array.of(3, 3),
    value: Float64Array.of(10, 90),
  },
  aggregate: {
    startNs: Float64Array.of(0, 0),
    durationNs: Float64Array.of(6e10, 6e10),
    thread: Int32Array.of(1, 1),
    source: Uint16Array.of(0, 0),
    op: Uint16Array.of(2, 2),
    count: Float64Array.of(40, 2),
    stored: Float64Array.of(0, 1),
  },
};

const data: TraceData = { traceId: 't', summary, tables };

/** Processes, each with its main thread; the threads of others are told by their tid. */
function jobOf(
  pids: readonly (ReturnType<typeof process> & { readonly worker?: number })[],
  waits: readonly (readonly [thread: number, startNs: number, durationNs: number])[],
  others: readonly { readonly tid: number; readonly process: number }[] = [],
): TraceData {
  const threads = [...pids.map(({ pid }, at) => ({ tid: pid, process: at })), ...others].map(
    (thread) => ({ ...thread, name: 'x', role: 'other' as const }),
  );
  const off_cpu = {
    startNs: Float64Array.from(waits, ([, startNs]) => startNs),
    durationNs: Float64Array.from(waits, ([, , durationNs]) => durationNs),
    thread: Int32Array.from(waits, ([thread]) => thread),
    state: new Int32Array(waits.length).fill(1),
  };
  return {
    ...data,
    summary: { ...summary, processes: pids, threads },
    tables: { off_cpu } as LoadedTables,
  };
}

const worker = (pid: number, number: number) => ({
  ...process(pid, 'dataloader-worker'),
  worker: number,
});
const labelsOf = ({ tracks }: { readonly tracks: readonly Track[] }) =>
  tracks.map(({ label, under }) => (under === undefined ? label : `  ${label}`));

test('a worker has the number it is known by, and one row for the processes that it was', () => {
  const trace = jobOf(
    [process(10, 'main'), worker(20, 0), worker(21, 1), worker(30, 0)],
    [
      [1, 1, 1],
      [2, 1, 4],
      [3, 2, 2],
    ],
  );
  const [group] = buildTrackGroups(trace);
  // Those of the second epoch are counted from 0 again.
  expect(labelsOf(group as NonNullable<typeof group>)).toEqual([
    'worker 0 · pid 20, 30',
    'worker 1 · pid 21',
  ]);
  const [row] = group?.tracks ?? [];
  if (row === undefined || !isEventTrack(row)) throw new Error('no row');
  expect([...startsOf(row.summary())]).toEqual([1, 2]);
  expect([threadAt(row, 1), threadAt(row, 3), showsThread(row, 2)]).toEqual([1, 3, false]);
  const hit = locateEvent(trace, group?.tracks ?? [], { table: 'off_cpu', row: 2 });
  expect([hit?.track.id, hit?.index]).toEqual(['off_cpu:1', 1]);
  const found = (text: string) =>
    matchesTrack(parseFilter(text), row, searchText(row, 'DataLoader workers'));
  expect([found('pid:30'), found('pid:31'), found('30')]).toEqual([true, false, true]);
});

test('workers of one number that lived at once, as of two loaders, have a row each', () => {
  const trace = jobOf(
    [process(10, 'main'), worker(20, 0), worker(30, 0), worker(40, 0), worker(50, 0)],
    [
      [1, 1, 9],
      [2, 5, 9],
      [3, 12, 1],
      [4, 14, 1],
    ],
  );
  expect(labelsOf(buildTrackGroups(trace)[0] as TrackGroup)).toEqual([
    'worker 0 · 3 processes',
    'worker 0 · pid 30',
  ]);
});

test('helper threads are folded under what their process did, all of a worker under its row', () => {
  const trace = jobOf(
    [process(10, 'main'), worker(20, 0)],
    [
      [0, 1, 1],
      [1, 1, 1],
      [2, 2, 1],
      [3, 2, 1],
    ],
    [
      { tid: 15, process: 0 },
      { tid: 25, process: 1 },
    ],
  );
  const samples = { startNs: Float64Array.of(1, 2), thread: Int32Array.of(0, 1) };
  const [main, workers] = buildTrackGroups({
    ...trace,
    tables: { ...trace.tables, cpu_sample: samples } as LoadedTables,
  });
  const parts = (group: TrackGroup | undefined) =>
    group?.tracks.map(({ id, under = '' }) => [id, under]);
  expect(parts(main)).toEqual([
    ['off_cpu:0', ''],
    ['cpu_sample:0', ''],
    ['off_cpu:2', 'off_cpu:0'],
  ]);
  expect(main?.tracks.map(({ detail }) => detail)).toEqual(['', '', 'tid 15']);
  expect(parts(workers)).toEqual([
    ['off_cpu:1', ''],
    ['cpu_sample:1', 'off_cpu:1'],
    ['off_cpu:3', 'off_cpu:1'],
  ]);
});

test('ranks are told apart, their workers counted each from 0', () => {
  const ranked = [0, 1].flatMap((rank) => [
    { ...process(10 + rank, 'main'), rank },
    { ...process(20 + rank, 'dataloader-worker'), rank },
  ]);
  const threads = ranked.map(({ pid, role }, at) => ({ tid: pid, process: at, name: 'x', role }));
  const offCpu = {
    startNs: Float64Array.of(1, 2, 3, 4),
    durationNs: Float64Array.of(1, 1, 1, 1),
    thread: Int32Array.of(0, 1, 2, 3),
  };
  const groups = buildTrackGroups({
    ...data,
    summary: { ...summary, processes: ranked, threads },
    tables: { off_cpu: offCpu } as LoadedTables,
  });
  expect(groups.map(({ detail }) => detail)).toEqual([
    'rank 0 · p10 · pid 10',
    'rank 1 · p11 · pid 11',
    '',
  ]);
  expect(groups[2]?.tracks.map(({ label }) => label)).toEqual([
    'rank 0 worker 0 · pid 20',
    'rank 1 worker 0 · pid 21',
  ]);
});

test('a stranger of which only block I/O is known starts folded, and is counted', () => {
  const io = {
    startNs: Float64Array.of(1, 2),
    durationNs: Float64Array.of(5, 5),
    thread: Int32Array.of(1, 2),
    op: Uint16Array.of(0, 0),
  };
  const groups = buildTrackGroups({ ...data, tables: { block_io: io } as LoadedTables });
  expect(groups.map(({ id, detail, tracks }) => [id, detail, tracks.length])).toEqual([
    ['workers', '', 1],
    ['outside', '1 process with block I/O', 1],
  ]);
  const shown = (collapsedGroups: string[]) =>
    layoutTracks(groups, {
      hidden: new Set(),
      expanded: new Set(),
      collapsedGroups: new Set(collapsedGroups),
      pinned: [],
      order: [],
      matches: () => true,
    }).rows.map(({ id }) => id);
  expect(shown([])).toEqual(['workers', 'block_io:1', 'outside']);
  expect(shown(['outside'])).toEqual(['workers', 'block_io:1', 'outside', 'block_io:2']);
});

function tracksOf(trace: TraceData): Track[] {
  return buildTrackGroups(trace).flatMap((group) => group.tracks);
}

function eventTrack(trace: TraceData, id: string): EventTrack {
  const track = tracksOf(trace).find((candidate) => candidate.id === id);
  if (track === undefined || !isEventTrack(track)) throw new Error(`no event track ${id}`);
  return track;
}

describe('tracks of a trace', () => {
  test('groups in the order of the screen, by the roles of the summary', () => {
    const groups = buildTrackGroups(data).map(({ label, tracks }) => [
      label,
      tracks.map((track) => track.id),
    ]);
    expect(groups).toEqual([
      ['GPU', ['gpu_work:missing']],
      ['Training process', ['cuda_call:0', 'off_cpu:0']],
      ['DataLoader workers', ['off_cpu:1', 'aggregate:1:2']],
      ['Other processes', ['cuda_call:-1']],
      ['System', ['sample:-1:CPU (%)']],
    ]);
  });

  test('a GPU is called by its number, and by its model where that is known', () => {
    const detailOf = (model: string) => {
      const gpus = [{ ...data.summary.gpus[0], model }] as TraceData['summary']['gpus'];
      return buildTrackGroups({ ...data, summary: { ...data.summary, gpus } })[0]?.detail;
    };
    expect(detailOf('NVIDIA H100')).toBe('0 · NVIDIA H100');
    expect(detailOf('(not known)')).toBe('0');
    expect(detailOf('GPU 0')).toBe('0');
  });

  test('driver calls are on the lanes below the outermost calls', () => {
    const track = eventTrack(data, 'cuda_call:0');
    expect([...track.summary().rows]).toEqual([0, 2]);
    expect(track.lanes().map((lane) => [...lane.rows])).toEqual([[0, 2], [1]]);
  });

  test('a name out of range and a thread not known are said so', () => {
    const track = eventTrack(data, 'cuda_call:-1');
    const details = eventDetails(data, { track, lane: track.summary(), index: 0 });
    expect(details.name).toBe('unnamed');
    expect(details.facts).toContainEqual(['Thread', 'unknown thread']);
  });

  test('buckets of several threads are added up, and say what was kept', () => {
    const track = tracksOf(data).find(({ id }) => id === 'aggregate:1:2');
    expect(track).toMatchObject({ kind: 'buckets', highest: 42, badge: 'per 60 s' });
    expect(track).toMatchObject({ label: 'worker 0 · pid 20', detail: 'Context switches' });
    expect(track?.provenance).toContain('1 of 42 kept');
  });

  test('a recording of hours has more buckets than a function takes arguments', () => {
    const length = 300_000;
    const fill = (value: number) => new Float64Array(length).fill(value);
    const aggregate = {
      ...tables.aggregate,
      ...{ startNs: fill(0).map((_, at) => at), durationNs: fill(1), stored: fill(0) },
      ...{ thread: new Int32Array(length).fill(1), op: new Uint16Array(length).fill(2) },
      count: fill(1).with(7, 9),
    };
    const long = tracksOf({ ...data, tables: { ...tables, aggregate } });
    expect(long.find(({ id }) => id === 'aggregate:1:2')).toMatchObject({ highest: 9 });
  });

  test('a counter that stayed at 0 is no row, and is counted', () => {
    const sample = { ...tables.sample, metric: Uint16Array.of(3, 2), value: Float64Array.of(5, 0) };
    const systemOf = (all: ReturnType<typeof buildTrackGroups>) =>
      all.find(({ id }) => id === 'system');
    const system = systemOf(buildTrackGroups({ ...data, tables: { ...tables, sample } }));
    expect([system?.detail, system?.tracks.length]).toEqual(['1 counter stayed at 0', 1]);
    expect(systemOf(buildTrackGroups(data))?.detail).toBe('');
  });

  test('a partial table ends with its rows', () => {
    const partial = withProvenance('off_cpu', { kind: 'partial', note: '3 of 9 kept' });
    const track = eventTrack(partial, 'off_cpu:0');
    expect(track).toMatchObject({
      badge: 'partial',
      provenance: 'partial: 3 of 9 kept',
      recorded: { startNs: 200, endNs: 730 },
    });
  });

  test('a role is not guessed again: a process that calls CUDA may be no main process', () => {
    const processes = [process(10, 'other'), ...summary.processes.slice(1)];
    const other = { ...data, summary: { ...summary, processes } };
    expect(buildTrackGroups(other).map(({ label }) => label)).not.toContain('Training process');
  });

  test('a job without a GPU is the job, not one of the other processes', () => {
    const job = { ...process(10, 'other'), commandLine: 'python3 train.py' };
    const labels = (processes: TraceSummary['processes']) =>
      buildTrackGroups({ ...data, summary: { ...summary, processes } }).map(({ label }) => label);
    const child = { ...process(20, 'other'), parent: 0 };
    const alone = labels([job, child, process(30, 'other')]);
    expect(alone).toContain('The job');
    // Where nobody recorded what was started, nothing tells which it is.
    expect(labels([process(10, 'other'), child, process(30, 'other')])).not.toContain('The job');
    // Beside a process that uses a GPU it is not.
    expect(labels([process(10, 'main'), job, child])).not.toContain('The job');
  });

  test('a thread runs where its switches are complete', () => {
    const ranAt = (coverage: TraceSummary['coverage']) => {
      const track = eventTrack(
        { ...data, tables: { off_cpu: { ...tables.off_cpu } }, summary: { ...summary, coverage } },
        'off_cpu:0',
      );
      const ground = track.ground?.();
      return ground === undefined ? [] : [...startsOf(ground)];
    };
    expect(ranAt([[[300, 730]]])).toEqual([310]);
    expect(ranAt([])).toEqual([]);
  });

  test('a gap is of the table it names, or of all', () => {
    const gap = {
      startNs: Float64Array.of(1, 5),
      durationNs: Float64Array.of(1, 2),
      op: Uint16Array.of(4, 2),
    };
    expect(lostStretches({ ...data, tables: { gap } })).toEqual([
      { startNs: 1, endNs: 2, table: 'cpu_sample' },
      { startNs: 5, endNs: 7, table: undefined },
    ]);
  });

  test('a stream is called what the trace calls it', () => {
    const work = {
      startNs: Float64Array.of(1, 2),
      durationNs: Float64Array.of(1, 1),
      gpu: Int32Array.of(0, 0),
      stream: Int32Array.of(0, -1),
    };
    const found = tracksOf({ ...data, tables: { gpu_work: work } });
    expect(found.map(({ detail }) => detail)).toEqual(['from its own record', 'stream 7', '']);
  });

  test('two metrics of one name, from two sources, are two tracks', () => {
    const names = { names: ['CPU (%)', 'CPU (%)'], nameSources: ['', 'HOST'] };
    const sample = { ...tables.sample, metric: Uint16Array.of(0, 1) };
    const twice = { ...data, summary: { ...summary, ...names }, tables: { sample } };
    expect(new Set(tracksOf(twice).map(({ id }) => id)).size).toBe(2);
  });

  test('between samples that lie too far apart a line has a gap, and its label says so', () => {
    const names = { names: ['CPU (%)'], nameSources: [''] };
    const ns = (...seconds: number[]) => Float64Array.from(seconds, (second) => second * 1e9);
    const sample = {
      startNs: ns(0, 1, 2, 3, 9, 10, 11, 15),
      metric: new Uint16Array(8),
      value: new Float64Array(8).fill(1),
    };
    const [line] = tracksOf({ ...data, summary: { ...summary, ...names }, tables: { sample } });
    expect(line).toMatchObject({
      gaps: [
        { startNs: 3e9, endNs: 9e9 },
        { startNs: 11e9, endNs: 15e9 },
      ],
    });
    expect(line?.provenance).toContain(
      '2 times no sample came for longer than usual (at most 6.000 s): nothing is drawn there.',
    );
  });

  test('a CPU of which only a part is recorded says so where nobody is seen on it', () => {
    const on_cpu = {
      startNs: Float64Array.of(5),
      durationNs: Float64Array.of(5),
      thread: Int32Array.of(0),
      cpu: Int16Array.of(1),
    };
    const cpuOf = (kind: Provenance['kind'], changes: Partial<TraceSummary> = {}) => {
      const partial = withProvenance('on_cpu', { kind, note: '' });
      const summary = { ...partial.summary, format: 'Stalltrace', ...changes };
      return tracksOf({ ...partial, summary, tables: { on_cpu } })[0];
    };
    expect(cpuOf('partial')).toMatchObject({ label: 'CPU 1', between: 'not recorded here' });
    expect(cpuOf('exact')?.between).toBeUndefined();
    expect(cpuOf('partial', { format: 'Ingero' })?.between).toBeUndefined();
    // There every slice of the job’s own threads is stored.
    const capabilities = [{ name: 'perf_switch', available: true, detail: '' }];
    expect(cpuOf('partial', { capabilities })?.between).toBe('no thread of this job');
  });

  test('another table arriving keeps the lanes of the first', () => {
    const before = eventTrack(data, 'cuda_call:0').summary();
    const gap = { startNs: Float64Array.of(1), durationNs: Float64Array.of(1) };
    const later = { ...data, tables: { ...tables, gap } };
    expect(eventTrack(later, 'cuda_call:0').summary()).toBe(before);
  });

  test('nothing loaded, and columns missing, are no error', () => {
    expect(buildTrackGroups({ ...data, tables: {} })).toEqual([]);
    expect(overviewLane({ ...data, tables: {} })).toBeUndefined();
    const bare = { cuda_call: { startNs: Float64Array.of(5) }, on_cpu: {}, sample: {} };
    expect(tracksOf({ ...data, tables: bare }).map(({ id }) => id)).toEqual([
      'gpu_work:missing',
      'cuda_call:-1',
    ]);
  });
});

describe('navigation', () => {
  test('slow calls, longest first, without nested ones', () => {
    expect([...slowCalls(data)]).toEqual([2, 0, 3]);
  });

  test('a nested event is found on its lane', () => {
    const hit = locateEvent(data, tracksOf(data), { table: 'cuda_call', row: 1 });
    expect(hit?.track.id).toBe('cuda_call:0');
    expect(hit?.lane).toBe(eventTrack(data, 'cuda_call:0').lanes()[1]);
  });

  test('matches of a filter, those inside other calls too, shown or not', () => {
    const filter = parseFilter('name:memcpy dur>10ns');
    const expanded = new Set(['cuda_call:0']);
    const view = { hidden: new Set(''), collapsedGroups: new Set(''), pinned: [], order: [] };
    const rowsOf = (open: ReadonlySet<string>) =>
      layoutTracks(buildTrackGroups(data), {
        ...view,
        expanded: open,
        matches: (track) => matchesTrack(filter, track, searchText(track, '')),
      }).rows.flatMap((row) =>
        row.kind === 'track' && isEventTrack(row.track)
          ? [{ track: row.track, expanded: row.expanded }]
          : [],
      );
    const startOf = (hit: EventHit | undefined) => hit?.lane.times.startNs(hit.index);
    expect(startOf(neighbour(rowsOf(new Set()), filter, 105, 1))).toBe(110);
    expect(startOf(neighbour(rowsOf(new Set()), filter, 110, 1))).toBe(500);
    expect(startOf(neighbour(rowsOf(expanded), filter, 105, 1))).toBe(110);
    expect(startOf(neighbour(rowsOf(expanded), filter, 500, -1))).toBe(110);
    expect(neighbour(rowsOf(expanded), filter, 500, 1)).toBeUndefined();
  });

  test('neighbours on a track', () => {
    const track = eventTrack(data, 'cuda_call:0');
    const rows = [{ track, expanded: false }];
    expect(neighbour(rows, undefined, 100, 1)?.index).toBe(1);
    expect(neighbour(rows, undefined, 500, -1)?.index).toBe(0);
    expect(neighbour(rows, undefined, 500, 1)).toBeUndefined();
    // The call inside another is on the second line only.
    const nested = neighbour([{ track, expanded: true }], undefined, 100, 1);
    expect(nested && [...startsOf(nested.lane)]).toEqual([110]);
  });
});

describe('a trace of two hosts', () => {
  const own = (host: number) => [
    { ...process(10, 'main'), host },
    { ...process(20, 'dataloader-worker'), host },
  ];
  const thread = (tid: number, at: number) => ({
    tid,
    process: at,
    name: '',
    role: 'main' as const,
  });
  const groups = buildTrackGroups({
    traceId: 'two',
    summary: fakeSummary(
      { off_cpu: 4, sample: 2, gap: 1 },
      {
        hosts: [{ hostname: 'a' }, { hostname: 'b' }],
        processes: [...own(0), ...own(1)],
        threads: [10, 20, 10, 20].map(thread),
        names: ['CPU (%)'],
        nameSources: [''],
      },
    ),
    tables: {
      off_cpu: {
        startNs: Float64Array.of(1, 2, 3, 4),
        durationNs: Float64Array.of(1, 1, 1, 1),
        thread: Int32Array.of(0, 1, 2, 3),
        state: Int32Array.of(1, 1, 1, 1),
      },
      sample: {
        startNs: Float64Array.of(5, 5),
        metric: Uint16Array.of(0, 0),
        host: Int32Array.of(0, 1),
        value: Float64Array.of(20, 80),
      },
    },
  });

  test('has each group once a host, which it names', () => {
    expect(groups.map(({ label, detail }) => `${label}: ${detail}`)).toEqual([
      'Training process: a · p10 · pid 10',
      'Training process: b · p10 · pid 10',
      'DataLoader workers: a',
      'DataLoader workers: b',
      'System: a',
      'System: b',
    ]);
    const tracks = groups.flatMap((group) => group.tracks);
    expect(new Set(tracks.map(({ id }) => id)).size).toBe(tracks.length);
    expect(new Set(groups.map(({ id }) => id)).size).toBe(groups.length);
  });

  test('draws a line of each host’s samples', () => {
    const lines = groups.flatMap(({ tracks }) =>
      tracks.flatMap((track) => (track.kind === 'line' ? [[...track.samples().values]] : [])),
    );
    expect(lines).toEqual([[20], [80]]);
  });

  test('has a lane of process events and of what the tool found for each host', () => {
    const found = (node: string) => ({
      ...{ foundBy: 'Ingero', node, summary: '', explanation: '', causes: [], ops: [] },
      ...{ severity: 'HIGH' as const, recommendations: [] },
      occurrences: [
        { op: '', detectedNs: 1, severity: 'HIGH' as const, p50Us: 1, p99Us: 1, detail: node },
      ],
    });
    const summaryOfTwo = fakeSummary(
      { process_event: 3 },
      {
        hosts: [{ hostname: 'a' }, { hostname: 'b' }],
        processes: [...own(0), ...own(1)],
        threads: [10, 20, 10, 20].map(thread),
        sourceFindings: [found('a'), found('b')],
      },
    );
    const events = buildTrackGroups({
      traceId: 'events',
      summary: summaryOfTwo,
      tables: {
        process_event: {
          startNs: Float64Array.of(1, 2, 3),
          thread: Int32Array.of(0, 2, 3),
          kind: Uint8Array.of(1, 1, 1),
        },
      },
    }).find(({ id }) => id === 'events');
    const lanes = (events?.tracks ?? []).flatMap((track) => {
      if (!isEventTrack(track)) return [];
      const lane = track.summary();
      const names = [...lane.rows].map((_, index) => track.nameOf(lane, index));
      return [[`${track.label} · ${track.detail}`, ...names]];
    });
    expect(lanes).toEqual([
      ['Process events · a', 'fork by Training process · p10 · tid 10 on a'],
      [
        'Process events · b',
        'fork by Training process · p10 · tid 10 on b',
        'fork by Training process · p20 · tid 20 on b',
      ],
      ['Found by Ingero · a', 'HIGH: a'],
      ['Found by Ingero · b', 'HIGH: b'],
    ]);
  });

  test('hatches what one host lost over its own tracks only', () => {
    const lost = { startNs: 0, endNs: 1, table: 'off_cpu' as const, host: 1 };
    const hatched = groups.flatMap(({ detail, tracks }) =>
      tracks.some((track) => mayBeLost(lost, track)) ? [detail] : [],
    );
    expect(hatched).toEqual(['b · p10 · pid 10', 'b']);
  });
});
