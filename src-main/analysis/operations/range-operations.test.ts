import fc from 'fast-check';
import { expect, test } from 'vitest';
import { recordingLosses } from '../coverage/recording-losses.ts';
import { buildTrace } from '../testing/build-trace.ts';
import { rangeOperations } from './range-operations.ts';

const trace = buildTrace({
  threads: [{ tid: 1 }],
  names: [
    ['CUDA', 'cudaMalloc'],
    ['CUDA', 'cudaFree'],
  ],
  rows: {
    cuda_call: [
      { startNs: 10, durationNs: 7, thread: 0, op: 0, layer: 1 },
      { startNs: 20, durationNs: 5, thread: 0, op: 0, layer: 1 },
      { startNs: 30, durationNs: 9, thread: 0, op: 1, layer: 1 },
    ],
    off_cpu: [{ startNs: 25, durationNs: 3, thread: 0 }],
    gap: [
      { startNs: 5, durationNs: 10, lost: 3 },
      { startNs: 40, durationNs: 20, lost: -1 },
    ],
  },
});

test('counts what is in the range, its first moment included, its last not', () => {
  expect(rangeOperations(trace, 20, 30)).toMatchObject([
    { source: 'CUDA', name: 'cudaMalloc', count: 1, totalNs: 5, maxNs: 5 },
    { source: 'HOST', name: 'sched_switch', count: 1, totalNs: 3 },
  ]);
  expect(rangeOperations(trace, 20, 30)[0]).not.toHaveProperty('slowestCall');
  expect(rangeOperations(trace, 17, 20)).toEqual([]);
});

test('sums the parts in the range; percentiles and maximum are of whole events', () => {
  expect(rangeOperations(trace, 15, 23)).toMatchObject([
    { name: 'cudaMalloc', count: 2, totalNs: 5, p50Ns: 5, p99Ns: 7, maxNs: 7 },
  ]);
});

test('the sums of the two parts of a range add up', () => {
  const any = fc.integer({ min: 0, max: 60 });
  fc.assert(
    fc.property(any, any, any, (a, b, c) => {
      const [from = 0, middle = 0, to = 0] = [a, b, c].toSorted((x, y) => x - y);
      const sumOf = (startNs: number, endNs: number) =>
        rangeOperations(trace, startNs, endNs).reduce((sum, { totalNs }) => sum + totalNs, 0);
      expect(sumOf(from, middle) + sumOf(middle, to)).toBe(sumOf(from, to));
    }),
  );
});

test('losses are summed where they were counted', () => {
  expect(recordingLosses(trace)).toEqual({
    gaps: 2,
    lostEvents: 3,
    uncounted: 1,
    longest: [40, 60],
  });
  expect(recordingLosses(buildTrace({}))).toEqual({ gaps: 0, lostEvents: 0, uncounted: 0 });
});
