import { describe, expect, test } from 'vitest';
import { buildTrace } from '../testing/build-trace.ts';
import { operationStats } from './operations.ts';

const names = [
  ['CUDA', 'cudaMemcpyAsync'],
  ['CUDA', 'cudaStreamSync'],
  ['DRIVER', 'cuLaunchKernel'],
  ['HOST', 'process_fork'],
  ['', 'NVTX'],
  ['NVTX', 'forward'],
  ['GPU', 'Memcpy HtoD (Pageable -> Device)'],
] as const;

const H2D = 1;
const D2H = 2;

describe('operationStats', () => {
  test('splits copies by direction and leaves other calls whole', () => {
    const trace = buildTrace({
      names,
      rows: {
        cuda_call: [
          { op: 0, durationNs: 10, direction: H2D, bytes: 100 },
          { op: 0, durationNs: 30, direction: H2D, bytes: -1 },
          { op: 0, durationNs: 5, direction: D2H, bytes: 7 },
          { op: 1, durationNs: 1, bytes: -1 },
          { op: 2, durationNs: 99, bytes: -1 },
        ],
      },
    });
    expect(operationStats(trace, { bySize: false })).toMatchObject([
      { source: 'CUDA', direction: 'H2D', count: 2, bytes: 100, totalNs: 40, slowestCall: 1 },
      { source: 'CUDA', direction: 'D2H', count: 1, bytes: 7, totalNs: 5, slowestCall: 2 },
      { name: 'cudaStreamSync', direction: null, count: 1, bytes: 0, slowestCall: 3 },
      { source: 'DRIVER', direction: null, totalNs: 99 },
    ]);
  });

  test('counts each host of several for itself, also what the recorder only counted', () => {
    const trace = buildTrace({
      names,
      processes: [{ pid: 9 }, { pid: 9, host: 1 }],
      threads: [{ tid: 9 }, { tid: 9, process: 1 }],
      rows: {
        cuda_call: [
          { op: 1, thread: 0, durationNs: 10 },
          { op: 1, thread: 1, durationNs: 3 },
          { op: 1, thread: 0, durationNs: 20 },
          { op: 1, thread: -1, durationNs: 1 },
        ],
        aggregate: [
          { op: 1, thread: 1, count: 5, totalNs: 9 },
          { op: 3, thread: 1, count: 7, totalNs: 4 },
        ],
      },
    });
    const hosts = [{ hostname: 'gpu-a' }, { hostname: 'gpu-b' }];
    const stats = operationStats({ ...trace, hosts }, { bySize: false });
    expect(stats).toMatchObject([
      { name: 'cudaStreamSync', host: 'gpu-a', count: 2, totalNs: 30, slowestCall: 2 },
      { host: 'gpu-b', count: 1, totalNs: 3, slowestCall: 1, counted: { stored: 1 } },
      { name: 'cudaStreamSync', count: 1, totalNs: 1 },
      { name: 'process_fork', host: 'gpu-b', counted: { stored: 0, counted: 7 } },
    ]);
    expect(stats[0]).not.toHaveProperty('counted');
    expect(stats[2]).not.toHaveProperty('host');
    expect(operationStats(trace, { bySize: false })[0]).toMatchObject({ count: 4, totalNs: 34 });
  });

  test('splits by size where asked, and leaves unknown sizes without a bucket', () => {
    const trace = buildTrace({
      names,
      rows: {
        cuda_call: [
          { op: 0, durationNs: 3, direction: H2D, bytes: 40 },
          { op: 0, durationNs: 2, direction: H2D, bytes: 2 ** 30 },
          { op: 0, durationNs: 1, direction: H2D, bytes: -1 },
        ],
      },
    });
    const stats = operationStats(trace, { bySize: true });
    expect(stats.map((entry) => entry.sizeBucket)).toEqual([0, 5, undefined]);
  });

  test('calls a copy of unrecorded direction unknown', () => {
    const trace = buildTrace({ names, rows: { cuda_call: [{ op: 0, durationNs: 1 }] } });
    expect(operationStats(trace, { bySize: false })[0].direction).toBe('unknown');
  });

  test('names tables without operations as their source does, and moments take no time', () => {
    const trace = buildTrace({
      names,
      rows: {
        off_cpu: [{ durationNs: 5 }, { durationNs: 7 }],
        page_alloc: [{ bytes: 4096 }, { bytes: 8192 }],
        process_event: [{ op: 3, kind: 1 }],
        range: [{ op: 5, category: 4, durationNs: 2 }],
        gpu_work: [{ op: 6, durationNs: 8, direction: H2D, bytes: 16 }],
      },
    });
    expect(operationStats(trace, { bySize: false })).toMatchObject([
      { name: 'Memcpy HtoD (Pageable -> Device)', direction: 'H2D', bytes: 16 },
      { source: 'HOST', name: 'sched_switch', count: 2, totalNs: 12, maxNs: 7 },
      { source: 'NVTX', name: 'forward', totalNs: 2 },
      { source: 'HOST', name: 'mm_page_alloc', count: 2, bytes: 12_288, totalNs: 0, p99Ns: 0 },
      { source: 'HOST', name: 'process_fork', count: 1, totalNs: 0 },
    ]);
  });

  test('counts numbered annotations as one operation', () => {
    const numbered = [
      ['torch', 'ProfilerStep#1'],
      ['torch', 'ProfilerStep#22'],
      ['torch', 'forward'],
    ] as const;
    const rows = [0, 1, 2, 0].map((op) => ({ op, category: 0, durationNs: 1 }));
    const trace = buildTrace({ names: numbered, rows: { range: rows } });
    expect(operationStats(trace, { bySize: false })).toMatchObject([
      { name: 'ProfilerStep#…', count: 3, totalNs: 3 },
      { name: 'forward', count: 1 },
    ]);
  });

  test('finds nothing in an empty trace', () => {
    expect(operationStats(buildTrace({}), { bySize: true })).toEqual([]);
  });

  test('says on every row of an operation how many of it were counted and how many are stored', () => {
    const trace = buildTrace({
      names,
      rows: {
        cuda_call: [
          { op: 0, durationNs: 10, direction: H2D, bytes: 100 },
          { op: 0, durationNs: 5, direction: D2H, bytes: 7 },
          { op: 1, durationNs: 1 },
          { op: 2, durationNs: 1 },
        ],
        aggregate: [
          { op: 0, count: 15 },
          { op: 0, count: 6 },
          { op: 1, count: 1 },
        ],
      },
    });
    const counted = operationStats(trace, { bySize: true }).map((entry) => entry.counted);
    const copies = { stored: 2, counted: 21 };
    expect(counted).toEqual([copies, copies, undefined, undefined]);
  });

  test('adds stored events that the recorder did not count, process by process', () => {
    const trace = buildTrace({
      names,
      processes: [{ pid: 1 }, { pid: 2 }],
      threads: [
        { tid: 1, process: 0 },
        { tid: 11, process: 0 },
        { tid: 2, process: 1 },
      ],
      rows: {
        cuda_call: [0, 1, 1, 2].map((thread) => ({ op: 1, thread, durationNs: 1 })),
        aggregate: [
          { op: 1, thread: 0, count: 10, stored: 1 },
          // Three were written, of which two have been removed.
          { op: 1, thread: 2, count: 5, stored: 3 },
        ],
      },
    });
    const [launches] = operationStats(trace, { bySize: false });
    expect(launches?.counted).toEqual({ stored: 4, counted: 10 - 1 + 3 + 5 });
  });

  describe('tells the time of all that happened', () => {
    const spans = { startNs: 0, durationNs: 100 };
    const happened = (sum: object, starts: readonly number[]) => {
      const trace = buildTrace({
        names,
        processes: [{ pid: 1 }],
        threads: [{ tid: 1, process: 0 }],
        rows: {
          cuda_call: starts.map((startNs) => ({ op: 1, thread: 0, startNs, durationNs: 10 })),
          aggregate: [{ op: 1, thread: 0, ...spans, maxNs: 70, ...sum }],
        },
      });
      return operationStats(trace, { bySize: false })[0]?.counted;
    };

    test('of a selection by the sums', () => {
      const counted = happened({ count: 21, stored: 2, totalNs: 600 }, [5, 50]);
      expect(counted).toMatchObject({ storedNs: 20, totalNs: 600, maxNs: 70 });
      expect(counted).not.toHaveProperty('isAtLeast');
    });

    test('with the events after the last sum', () => {
      const counted = happened({ count: 21, stored: 2, totalNs: 600 }, [5, 50, 300, 400]);
      expect(counted).toMatchObject({ counted: 23, storedNs: 40, totalNs: 620 });
    });

    test('with those of its time, where none of the counted was written', () => {
      const counted = happened({ count: 21, stored: 0, totalNs: 600 }, [5, 50]);
      expect(counted).toMatchObject({ counted: 23, totalNs: 620 });
    });

    test('as at least so much, where some more were written than counted', () => {
      const counted = happened({ count: 21, stored: 1, totalNs: 600 }, [5, 50]);
      expect(counted).toMatchObject({ counted: 22, totalNs: 600, isAtLeast: true });
    });

    test('not at all, where the sums tell none', () => {
      const counted = happened({ count: 21, stored: 1, totalNs: 0 }, [5]);
      expect(counted).toMatchObject({ counted: 21 });
      expect(counted).not.toHaveProperty('totalNs');
    });
  });

  test('lists what is known by sums only last, with what the sums tell', () => {
    const trace = buildTrace({
      names,
      processes: [{ pid: 1 }],
      threads: [{ tid: 1, process: 0 }],
      rows: {
        cuda_call: [{ op: 1, thread: 0, durationNs: 1 }],
        aggregate: [
          { op: 0, thread: 0, count: 10, stored: 0, totalNs: 40, maxNs: 7 },
          { op: 0, thread: 0, count: 5, stored: 0, totalNs: 20, maxNs: 9, bytes: 64 },
          { op: 2, thread: 0, count: 3, stored: -1 },
          { op: 3, thread: 0, count: 0 },
        ],
      },
    });
    const stats = operationStats(trace, { bySize: true });
    const [source, name] = names[0] ?? [];
    expect(stats.map((each) => each.onlySums)).toEqual([undefined, true, true]);
    expect(stats[1]).toEqual({
      ...{ source, name, direction: null, count: 0 },
      counted: {
        ...{ stored: 0, counted: 15, storedNs: 0, totalNs: 60, maxNs: 9 },
        ...{ storedBytes: 0, bytes: 64 },
      },
      ...{ onlySums: true, bytes: 64, totalNs: 60, maxNs: 9, p50Ns: -1, p95Ns: -1, p99Ns: -1 },
    });
    expect(stats[2]).toMatchObject({ totalNs: -1, maxNs: -1, counted: { counted: 3 } });
  });

  test('stands more operations than a call takes arguments', () => {
    const annotation = Array.from({ length: 160_000 }, (_, at) => ({
      op: at % 400,
      category: Math.floor(at / 400),
    }));
    const manyNames = Array.from({ length: 400 }, (_, at) => ['x', `name ${at}`] as const);
    const trace = buildTrace({ names: manyNames, rows: { range: annotation } });
    expect(operationStats(trace, { bySize: false })).toHaveLength(160_000);
  });
});
