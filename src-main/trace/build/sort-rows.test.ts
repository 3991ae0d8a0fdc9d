import fc from 'fast-check';
import { expect, test } from 'vitest';
import { orderByStart } from './sort-rows.ts';

const start = fc.oneof(
  fc.integer({ min: -3, max: 3 }),
  fc.integer({ min: -(2 ** 52), max: Number.MAX_SAFE_INTEGER }),
  // Without -0, which is as early as 0.
  fc.double({ min: -1e12, max: 1e12, noNaN: true }).map((value) => value + 0),
);
const rows = fc.array(fc.tuple(start, fc.nat(3)), { maxLength: 60 });
const inOrder = (count: number) => Array.from({ length: count }, (_, row) => row);

test('rows ascend by start, equal ones as they stood', () => {
  fc.assert(
    fc.property(rows, (given) => {
      const starts = Float64Array.from(given, ([startNs]) => startNs);
      const order = orderByStart(starts) ?? inOrder(starts.length);
      const expected = inOrder(starts.length).sort((a, b) => starts[a] - starts[b] || a - b);
      expect([...order]).toEqual(expected);
    }),
  );
});

test('with durations the longer of two that start at once comes first', () => {
  fc.assert(
    fc.property(rows, (given) => {
      const starts = Float64Array.from(given, ([startNs]) => startNs);
      const durations = Float64Array.from(given, ([, durationNs]) => durationNs);
      const order = orderByStart(starts, durations) ?? inOrder(starts.length);
      const expected = inOrder(starts.length).sort(
        (a, b) => starts[a] - starts[b] || durations[b] - durations[a] || a - b,
      );
      expect([...order]).toEqual(expected);
    }),
  );
});

test('rows in order need no other', () => {
  const starts = Float64Array.of(-1, 0, 0, 5);
  expect(orderByStart(starts)).toBeUndefined();
  expect(orderByStart(starts, Float64Array.of(1, 3, 2, 9))).toBeUndefined();
  expect([...(orderByStart(starts, Float64Array.of(1, 2, 3, 9)) ?? [])]).toEqual([0, 2, 1, 3]);
});

test('a part of a longer array is sorted by itself', () => {
  const starts = Float64Array.of(9, 3, 1, 2, 0).subarray(1, 4);
  expect([...(orderByStart(starts) ?? [])]).toEqual([1, 2, 0]);
});
