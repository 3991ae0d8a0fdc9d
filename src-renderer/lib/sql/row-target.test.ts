import { expect, test } from 'vitest';
import { targetColumns, targetOf } from './row-target.ts';

const LENGTH = 10_000_000_000;

function target(
  columns: readonly string[],
  row: readonly (number | string | null)[],
  origins: readonly (string | null)[] = columns.map(() => null),
) {
  const found = targetColumns({ columns, origins });
  return found && targetOf(found, row, LENGTH);
}

test.each([
  ['a start with its duration', ['start_ns', 'duration_ns'], [5, 7], { startNs: 5, endNs: 12 }],
  [
    'in ms',
    ['thread', 'start_ms', 'duration_ms'],
    ['a', 1.5, 1],
    { startNs: 1_500_000, endNs: 2_500_000 },
  ],
  ['an end', ['begin_ms', 'end_ms'], [1, 3], { startNs: 1_000_000, endNs: 3_000_000 }],
  ['a moment alone', ['n', 'time_s'], [9, 2], { startNs: 2e9, endNs: 2e9 }],
  [
    'the first of several',
    ['wait_start_ns', 'wait_duration_ns', 'copy_start_ns', 'copy_duration_ns'],
    [1, 2, 8, 9],
    { startNs: 1, endNs: 3 },
  ],
  [
    'a duration that is of another time',
    ['copy_start_ns', 'duration_ns'],
    [4, 9],
    { startNs: 4, endNs: 4 },
  ],
  [
    'what goes on beyond the end',
    ['start_ns', 'duration_ns'],
    [LENGTH - 1, 100],
    { startNs: LENGTH - 1, endNs: LENGTH },
  ],
])('%s leads to its stretch of time', (_, columns, row, window) => {
  expect(target(columns, row)).toEqual({ window });
});

test('a CUDA call or a range leads to itself, also under another name', () => {
  const row = [375, 3213.3];
  expect(target(['call_id', 'start_ms'], row, ['cuda_call.call_id', null])).toEqual({
    event: { table: 'cuda_call', row: 375 },
  });
  expect(target(['id'], [4], ['range.range_id'])).toEqual({ event: { table: 'range', row: 4 } });
  // Where it has none, its time.
  expect(target(['call_id', 'start_ms'], [null, 2], ['cuda_call.call_id', null])).toEqual({
    window: { startNs: 2_000_000, endNs: 2_000_000 },
  });
});

test('the call that something belongs to is not the thing itself', () => {
  expect(target(['call_id', 'begin'], [7, 40], ['gpu_work.call_id', 'gpu_work.start_ns'])).toEqual({
    window: { startNs: 40, endNs: 40 },
  });
});

test.each([
  [
    ['count', 'total_ms', 'duration_ns'],
    [1, 2, 3],
  ],
  [
    ['name', 'total_time_ms'],
    ['a', 2],
  ],
  [['start_ns'], [null]],
  [['start_ns'], ['9007199254740993']],
  [['start_ns'], [-1]],
  [['start_ns'], [LENGTH + 1]],
  [['call_id'], [5]],
])('%s leads nowhere', (columns, row) => {
  expect(target(columns, row)).toBeUndefined();
});
