import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { blockLength, mean, ratioOfMeans, studentQuantile } from './block-bootstrap.ts';

/** Steps of which each is like the one before it: lognormal, AR(1) with `alike`. */
function series(seed: number, count: number, alike: number, spread = 0.15): number[] {
  let state = seed >>> 0;
  const uniform = () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return (((mixed ^ (mixed >>> 14)) >>> 0) + 0.5) / 2 ** 32;
  };
  const normal = () => Math.sqrt(-2 * Math.log(uniform())) * Math.cos(2 * Math.PI * uniform());
  let level = normal();
  return Array.from({ length: count }, () => {
    level = alike * level + Math.sqrt(1 - alike ** 2) * normal();
    return 1e7 * Math.exp(spread * level);
  });
}

/** How many of `seeds` pairs have `factor`, the true ratio, in their interval. */
function coverage(seeds: number, count: number, alike: number, factor: number): number {
  let held = 0;
  for (let seed = 0; seed < seeds; seed++) {
    const first = series(2 * seed + 1, count, alike);
    const second = series(2 * seed + 2 + 1e6, count, alike).map((ns) => ns * factor);
    const found = ratioOfMeans(first, second);
    if (found && found.low <= factor && factor <= found.high) held++;
  }
  return held / seeds;
}

describe('the interval of a ratio', () => {
  test.each([
    [300, 0, 1.1],
    [300, 0.6, 0.7],
    [200, 0.8, 2],
    [30, 0.3, 1.5],
  ])('of %i steps as alike as %f holds the true one in 9 of 10 runs', (count, alike, factor) => {
    expect(coverage(300, count, alike, factor)).toBeGreaterThanOrEqual(0.9);
  });

  test('is not so wide that it says nothing: half of all pairs that differ by 5 % are told apart', () => {
    const told = Array.from({ length: 100 }, (_, seed) => {
      const found = ratioOfMeans(
        series(seed, 300, 0.3),
        series(seed + 500, 300, 0.3).map((ns) => ns * 1.05),
      );
      return found !== undefined && found.low > 1;
    });
    expect(told.filter(Boolean).length).toBeGreaterThan(50);
  });

  test('is inverted where the two are swapped, and the same each time', () => {
    fc.assert(
      fc.property(fc.nat(), fc.nat(), fc.integer({ min: 5, max: 80 }), (one, other, count) => {
        const [first, second] = [series(one, count, 0.5), series(other, count + 3, 0.2)];
        const there = ratioOfMeans(first, second);
        const back = ratioOfMeans(second, first);
        expect(ratioOfMeans(first, second)).toEqual(there);
        expect((there?.ratio ?? 0) * (back?.ratio ?? 0)).toBeCloseTo(1, 9);
        expect((there?.low ?? 0) * (back?.high ?? 0)).toBeCloseTo(1, 9);
        expect((there?.high ?? 0) * (back?.low ?? 0)).toBeCloseTo(1, 9);
      }),
      { numRuns: 40 },
    );
  });

  test('holds 1 where a series is compared with itself, and the factor where with a multiple', () => {
    fc.assert(
      fc.property(fc.nat(), fc.double({ min: 0.2, max: 5, noNaN: true }), (seed, factor) => {
        const first = series(seed, 50, 0.5);
        const second = first.map((ns) => ns * factor);
        const found = ratioOfMeans(first, second);
        expect(found?.ratio).toBeCloseTo(factor, 9);
        expect(found?.low).toBeLessThanOrEqual(factor * (1 + 1e-9));
        expect(found?.high).toBeGreaterThanOrEqual(factor * (1 - 1e-9));
      }),
      { numRuns: 40 },
    );
  });

  test('is wider with fewer steps', () => {
    const width = (count: number) => {
      const widths = Array.from({ length: 20 }, (_, seed) => {
        const found = ratioOfMeans(series(seed, count, 0.4), series(seed + 99, count, 0.4));
        return found === undefined ? Number.NaN : found.high / found.low - 1;
      });
      return mean(widths);
    };
    const [few, some, many] = [10, 60, 360].map(width);
    expect(few).toBeGreaterThan(1.5 * some);
    expect(some).toBeGreaterThan(1.5 * many);
  });

  test('is none of too few values, and exact where nothing varies', () => {
    expect(ratioOfMeans([1, 2, 3, 4], [1, 2, 3, 4, 5])).toBeUndefined();
    expect(ratioOfMeans([0, 0, 0, 0, 0], [1, 1, 1, 1, 1])).toBeUndefined();
    expect(ratioOfMeans([2, 2, 2, 2, 2], [3, 3, 3, 3, 3])).toEqual({
      ...{ ratio: 1.5, low: 1.5, high: 1.5 },
    });
  });
});

test('blocks are longer where neighbours are alike for longer, and never more than a quarter', () => {
  const length = (alike: number) =>
    mean(Array.from({ length: 20 }, (_, seed) => blockLength(series(seed, 400, alike))));
  expect(length(0)).toBeLessThan(12);
  expect(length(0.8)).toBeGreaterThan(2 * length(0));
  const trend = Array.from({ length: 40 }, (_, at) => at + 1);
  expect(blockLength(trend)).toBeLessThanOrEqual(10);
});

test('the quantiles of Student’s t are those of its tables', () => {
  expect(studentQuantile(5)).toBeCloseTo(2.571, 2);
  expect(studentQuantile(10)).toBeCloseTo(2.228, 2);
  expect(studentQuantile(1e6)).toBeCloseTo(1.96, 3);
});
