import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { median, midpoint, nearestRank, percentiles } from './percentile.ts';

const duration = fc.integer({ min: 0, max: Number.MAX_SAFE_INTEGER });
const percent = fc.integer({ min: 0, max: 100 });

/** The definition itself: the smallest value with at least p % of all values at or below it. */
function byDefinition(values: readonly number[], p: number): number {
  const atOrBelow = (limit: number) => values.filter((value) => value <= limit).length;
  const enough = values.filter((value) => atOrBelow(value) * 100 >= p * values.length);
  return Math.min(...enough);
}

describe('median', () => {
  test('is the 50th percentile, in any order of values', () => {
    fc.assert(
      fc.property(fc.array(duration, { minLength: 1, maxLength: 60 }), (values) => {
        expect(median(values)).toBe(byDefinition(values, 50));
      }),
    );
  });

  test('of two is the lower, unless asked for the upper', () => {
    expect([median([-3, -20, 100, 9]), median([-3, -20, 100, 9], 'upper')]).toEqual([-3, 9]);
    expect([median([7, 30, 100], 'upper'), median([5], 'upper'), median([])]).toEqual([
      30,
      5,
      undefined,
    ]);
  });
});

test('the midpoint is the one in the middle, or the mean of the two there', () => {
  expect(midpoint([9, 1, 5])).toBe(5);
  expect(midpoint([4, 1, 2, 100])).toBe(3);
  expect(midpoint([7])).toBe(7);
  expect(midpoint([])).toBeNaN();
});

describe('percentiles', () => {
  test('equals the definition for any values', () => {
    fc.assert(
      fc.property(fc.array(duration, { minLength: 1, maxLength: 60 }), percent, (values, p) => {
        expect(percentiles(Float64Array.from(values), [p])).toEqual([byDefinition(values, p)]);
      }),
    );
  });

  test('equals sorting where there are too many values to sort', () => {
    const spread = fc.constantFrom(1, 7, 1000, 2 ** 20, 2 ** 40, 2 ** 53 - 1);
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 2 ** 31 - 1 }), spread, percent, (seed, range, p) => {
        const values = randomValues(40_000, seed, range);
        const sorted = values.slice().sort();
        expect(percentiles(values, [p])).toEqual([sorted[nearestRank(values.length, p) - 1]]);
      }),
      { numRuns: 30 },
    );
  });

  test('is exact for equal values, and leaves the values alone', () => {
    const values = new Float64Array(100_000).fill(65_000_369);
    values[7] = 1;
    expect(percentiles(values, [50, 100])).toEqual([65_000_369, 65_000_369]);
    expect(values[7]).toBe(1);
  });

  test('reads an array that begins inside its buffer', () => {
    const values = Float64Array.from([9, 9, 1, 2, 3]).subarray(2);
    expect(percentiles(values, [50])).toEqual([2]);
    const many = randomValues(50_001, 3, 1e6).subarray(1);
    expect(percentiles(many, [95])).toEqual([many.slice().sort()[nearestRank(50_000, 95) - 1]]);
  });

  test('gives 0 where nothing was measured', () => {
    expect(percentiles(new Float64Array(0), [50, 99])).toEqual([0, 0]);
  });

  test('does not let rounding move a rank', () => {
    expect(nearestRank(20, 95)).toBe(19);
    expect(nearestRank(100, 99)).toBe(99);
    expect(nearestRank(1, 50)).toBe(1);
    expect(nearestRank(8, 95)).toBe(8);
  });
});

/** Integers in [0, range) from a seeded xorshift. */
function randomValues(count: number, seed: number, range: number): Float64Array {
  let state = seed | 0 || 1;
  const next = () => {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    return (state >>> 0) / 2 ** 32;
  };
  return Float64Array.from({ length: count }, () => Math.floor(next() * range));
}
