import { expect, test } from 'vitest';
import { loaderThreads, loaderTrace } from '../testing/loader-trace.ts';
import { stretchFacts } from './stretch-facts.ts';

const { main, workerMain } = loaderThreads;
const COPY = 1;
const call = { thread: main, op: COPY, layer: 1, direction: 1, parent: -1 };
const fault = (thread: number, startNs: number, major = 0) => ({
  ...{ thread, startNs, durationNs: 10, major },
});
const trace = loaderTrace({
  batches: 3,
  batchNs: 1_000_000,
  rows: {
    cuda_call: [
      { ...call, startNs: 100, durationNs: 10, bytes: 8 },
      { ...call, startNs: 1_000_000, durationNs: 600_000, bytes: 2 ** 20 },
      // The driver's part of it is no copy of its own.
      { ...call, startNs: 1_000_100, durationNs: 500_000, bytes: 2 ** 21, parent: 1 },
      { ...call, startNs: 1_700_000, durationNs: 10, bytes: 4_096 },
    ],
    page_fault: [fault(workerMain, 5_000), fault(main, 1_200_000), fault(workerMain, 1_300_000, 1)],
  },
});

test('tell of faults of the thread and of the rest of its job, and of the largest copy that was under way', () => {
  const { memory, copy } = stretchFacts(trace, main, 1_100_000, 1_800_000);
  expect(memory).toEqual({
    own: { minorFaults: 1, majorFaults: 0 },
    others: { minorFaults: 0, majorFaults: 1 },
    isAtLeast: false,
  });
  expect(copy).toMatchObject({ call: { row: 1, bytes: 2 ** 20, direction: 'H2D' } });
});

test('of another time or thread tell nothing of them', () => {
  const later = stretchFacts(trace, main, 1_650_000, 1_690_000);
  expect(later.copy).toBeUndefined();
  expect(later.memory?.own).toEqual({ minorFaults: 0, majorFaults: 0 });
  expect(stretchFacts(trace, workerMain, 1_100_000, 1_800_000).copy).toBeUndefined();
});

test('nothing is said of memory where it was not recorded', () => {
  const bare = loaderTrace({ batches: 3, batchNs: 1_000_000 });
  expect(stretchFacts(bare, main, 1_100_000, 1_800_000)).toEqual({});
});
