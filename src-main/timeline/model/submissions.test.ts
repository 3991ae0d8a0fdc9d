import { describe, expect, test } from 'vitest';
import { callOfWork, workOfCall } from './submissions.ts';
import type { LoadedTables } from './trace-data.ts';

const calls = (parent: readonly number[]) => ({
  startNs: Float64Array.from(parent.keys()),
  durationNs: new Float64Array(parent.length).fill(1),
  parent: Int32Array.from(parent),
});
const work = (call: readonly number[], startNs = [...call.keys()]) => ({
  startNs: Float64Array.from(startNs),
  durationNs: new Float64Array(call.length).fill(1),
  call: Int32Array.from(call),
});

// Call 1 and 2 are inside 0, 3 inside 2.
const tables: LoadedTables = {
  cuda_call: calls([-1, 0, 0, 2, -1]),
  gpu_work: work([3, 1, -1, 3, 0, 99]),
};

describe('calls and what the GPU did for them', () => {
  test('a call has its own work and that of calls inside it, in order of start', () => {
    expect([...workOfCall(tables, 0)]).toEqual([0, 1, 3, 4]);
    expect([...workOfCall(tables, 2)]).toEqual([0, 3]);
    expect([...workOfCall(tables, 1)]).toEqual([1]);
    expect([...workOfCall(tables, 4)]).toEqual([]);
    const late = { ...tables, gpu_work: work([4, 4], [9, 5]) };
    expect([...workOfCall(late, 4)]).toEqual([1, 0]);
  });

  test('work belongs to the call that no other encloses', () => {
    expect([0, 1, 2, 3, 4, 5].map((row) => callOfWork(tables, row))).toEqual([0, 0, -1, 0, 0, -1]);
  });

  test('tables and columns that are not there, and rows that are none, are no error', () => {
    expect(callOfWork({}, 0)).toBe(-1);
    expect([...workOfCall({}, 0)]).toEqual([]);
    expect([...workOfCall({ ...tables, gpu_work: { startNs: Float64Array.of(1) } }, 0)]).toEqual(
      [],
    );
    expect([...workOfCall(tables, 7)]).toEqual([]);
    expect(callOfWork(tables, 77)).toBe(-1);
    const circle = { cuda_call: calls([1, 0]), gpu_work: work([0]) };
    expect(workOfCall(circle, 0).length).toBeLessThanOrEqual(1);
  });
});
