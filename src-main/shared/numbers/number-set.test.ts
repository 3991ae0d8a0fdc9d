import fc from 'fast-check';
import { expect, test } from 'vitest';
import { LONGEST_NUMBER_SET, packNumbers, unpackNumbers } from './number-set.ts';

const lists = fc.array(fc.nat(200_000), { size: 'max', maxLength: 200 });
/** Where roles were set, the numbers of tracks begin far up. */
const numbersFrom = fc
  .tuple(fc.constantFrom(0, 2 ** 20, 5 * 2 ** 20, 2 ** 50), lists)
  .map(([first, list]) => list.map((each) => first + each));

test('a set comes back as it was, lowest first', () => {
  fc.assert(
    fc.property(numbersFrom, (numbers) => {
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
  expect(unpackNumbers(packNumbers([-1, 2 ** 60, 1.5, Number.NaN, 3]))).toEqual([3]);
  expect(unpackNumbers(packNumbers([3, 2 ** 20 + 2, 2 ** 20 + 3]))).toEqual([3, 2 ** 20 + 2]);
  expect(packNumbers([2 ** 53 - 2 ** 21, 2 ** 53 - 2 ** 20 - 1]).length).toBeLessThanOrEqual(
    LONGEST_NUMBER_SET,
  );
});

test('text that is of no set is none', () => {
  for (const text of [
    '?',
    '0.',
    'AAAA',
    '0.AAA',
    '0.A=AA',
    `0.${'A'.repeat(LONGEST_NUMBER_SET)}`,
    `${2 ** 53}.AAAA`,
  ])
    expect(unpackNumbers(text)).toBeUndefined();
});
