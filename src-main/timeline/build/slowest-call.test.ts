import { expect, test } from 'vitest';
import type { TraceData } from '../model/trace-data.ts';
import { fakeSummary } from '../testing/fake-summary.ts';
import { slowestCall } from './slowest-call.ts';

function traceOf(calls: [name: string, durationNs: number, parent?: number][]): TraceData {
  const names = [...new Set(calls.map(([name]) => name))];
  return {
    traceId: '',
    summary: fakeSummary({ cuda_call: calls.length }, { names }),
    tables: {
      cuda_call: {
        op: Uint16Array.from(calls, ([name]) => names.indexOf(name)),
        durationNs: Float64Array.from(calls, ([, durationNs]) => durationNs),
        parent: Int32Array.from(calls, ([, , parent]) => parent ?? -1),
      },
    },
  };
}

test('the slowest copy is preferred to a slower call of another kind', () => {
  const trace = traceOf([
    ['cudaDeviceSync', 90],
    ['cudaMemcpyAsync', 10],
    ['cudaMemcpyAsync', 30],
    ['cuMemcpyHtoDAsync_v2', 35, 2],
  ]);
  expect(slowestCall(trace)).toEqual({ row: 2, isCopy: true });
});

test('without a copy the slowest call, without calls nothing', () => {
  expect(slowestCall(traceOf([['cudaMalloc', 5]]))).toEqual({ row: 0, isCopy: false });
  expect(slowestCall(traceOf([]))).toBeUndefined();
});
