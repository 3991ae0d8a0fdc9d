import fc from 'fast-check';
import { expect, test } from 'vitest';
import { LONGEST_NUMBER_SET, packNumbers, unpackNumbers } from './number-set.ts';

test('a set comes back as it was, lowest first', () => {
  fc.assert(
    fc.property(fc.array(fc.nat(200_000), { size: 'max', maxLength: 200 }), (numbers) => {
      const sorted = [...new Set(numbers)].sort((a, b) => a - b);
      expect(unpackNumbers(packNumbers(numbers))).toEqual(sorted);
    }),
    { endOnFailure: true },
  );
});

test('a hundred thousand numbers are short', () => {
  const all = Array.from({ length: 131_072 }, (_, at) => at);
  expect(packNumbers(all).length).toBeLessThan(24_000);
  expect(unpackNumbers(packNumbers(all))).toEqual(all);
});

test('what can be no number of a set is left out', () => {
  expect(unpackNumbers(packNumbers([-1, 2 ** 20, 1.5, Number.NaN, 3]))).toEqual([3]);
  expect(packNumbers([2 ** 20 - 1]).length).toBeLessThanOrEqual(LONGEST_NUMBER_SET);
});

test('text that is of no set is none', () => {
  for (const text of ['?', 'AAA', 'A=AA', 'A'.repeat(LONGEST_NUMBER_SET + 4)])
    expect(unpackNumbers(text)).toBeUndefined();
});
