import { describe, expect, test } from 'vitest';
import type { TraceData } from '../model/trace-data.ts';
import { fakeSummary } from '../testing/fake-summary.ts';
import { finished } from './finished.ts';
import { unstoredCalls } from './unstored-calls.ts';

/** `[startNs, lengthNs, count, stored]` of sums of operation 0; calls of it start at `starts`. */
function dataOf(sums: readonly (readonly [number, number, number, number])[], starts: number[]) {
  const column = (at: 0 | 1 | 2 | 3) => Float64Array.from(sums, (row) => row[at]);
  const summary = fakeSummary(
    { cuda_call: starts.length, aggregate: sums.length },
    { names: ['cudaMemcpyAsync'], nameSources: ['CUDA'], lengthNs: 100 },
  );
  const tables = {
    cuda_call: {
      startNs: Float64Array.from(starts),
      op: new Uint16Array(starts.length),
    },
    aggregate: {
      ...{ startNs: column(0), durationNs: column(1), count: column(2), stored: column(3) },
      op: new Uint16Array(sums.length),
    },
  };
  return { traceId: 'x', summary, tables } as unknown as TraceData;
}

const unstored = (data: TraceData, startNs: number, endNs: number) =>
  finished(unstoredCalls(data, { startNs, endNs })).get('cudaMemcpyAsync');

describe('calls of a range', () => {
  test('are those stored, and of stretches inside what was counted and not stored', () => {
    const data = dataOf(
      [
        [0, 50, 10, 2],
        [50, 50, 4, 4],
      ],
      [5, 10, 60, 70, 80, 90],
    );
    expect(unstored(data, 0, 100)).toEqual({ inside: 8, isMore: false });
    expect(unstored(data, 0, 50)).toEqual({ inside: 8, isMore: false });
    expect(unstored(data, 50, 100)).toBeUndefined();
  });

  test('count − stored + rows: what a recorder stored uncounted comes on top', () => {
    expect(unstored(dataOf([[0, 100, 10, 2]], [1, 2, 3, 4, 5]), 0, 100)?.inside).toBe(8);
    expect(unstored(dataOf([[0, 100, 10, -1]], [1, 2, 3]), 0, 100)?.inside).toBe(7);
  });

  test('at least, where sums reach beyond the range, but not where they reach beyond the trace', () => {
    expect(unstored(dataOf([[0, 100, 10, 2]], [1, 2]), 20, 60)).toEqual({
      inside: 0,
      isMore: true,
    });
    expect(unstored(dataOf([[-40, 200, 10, 2]], [1, 2]), 0, 100)?.inside).toBe(8);
  });
});
