import fc from 'fast-check';
import { expect, test } from 'vitest';
import { growthOf, quarterMeans } from './growth.ts';

/** A repeatable stream of numbers, 0…1 (Park and Miller, Communications of the ACM 31, 1988). */
function random(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state * 48_271) % 2_147_483_647;
    return state / 2_147_483_647;
  };
}

/** `count` values around those of `shape`, given 0…1, each up to `noise` of itself more or less. */
function series(count: number, shape: (at: number) => number, noise = 0.2, seed = 7): number[] {
  const next = random(seed);
  return Array.from({ length: count }, (_, at) => {
    const value = shape(at / (count - 1));
    return value * (1 + noise * (2 * next() - 1));
  });
}

test.each([
  ['in a line', (at: number) => 12 + 40 * at],
  ['faster and faster', (at: number) => 10 + 50 * at * at],
  ['slower and slower', (at: number) => 10 + 40 * Math.sqrt(at)],
])('what grows %s is told, with where it began and ended', (_, shape) => {
  const grown = growthOf(series(200, shape));
  expect(grown?.from).toBeGreaterThan(shape(0));
  expect(grown?.from).toBeLessThan(shape(0.4));
  expect(grown?.to).toBeGreaterThan(shape(0.75));
  expect(grown?.to).toBeLessThanOrEqual(shape(1) * 1.2);
});

test('also behind a slow start, with an epoch’s long first steps, and where a step now and then is far longer', () => {
  const shape = (at: number) => 12 + 40 * at;
  const values = series(240, shape).map((value, at) => {
    if (at < 5) return value + 900;
    return at % 40 === 0 ? value + 500 : value;
  });
  expect(growthOf(values)).toBeDefined();
});

test.each([
  ['a warm-up', (at: number) => (at < 0.08 ? 5 : 50)],
  ['a slow start', (at: number) => (at < 0.2 ? 200 : 20)],
  ['a jump', (at: number) => (at < 0.6 ? 10 : 40)],
  ['a stretch in between', (at: number) => (at > 0.4 && at < 0.7 ? 60 : 10)],
  ['epochs that each grow', (at: number) => 10 + 40 * ((at * 4) % 1)],
  ['a fall', (at: number) => 50 - 40 * at],
  ['little', (at: number) => 50 + 15 * at],
  ['nothing', () => 0],
])('%s is no growth', (_, shape) => {
  expect(growthOf(series(200, shape))).toBeUndefined();
});

test('noise grows in fewer than one of a thousand series, also where it is heavy', () => {
  const found = Array.from({ length: 2_000 }, (_, seed) => {
    const next = random(seed * 7919 + 1);
    // A few steps of many are up to a thousand times longer (Pareto).
    return growthOf(Array.from({ length: 36 + (seed % 90) }, () => next() ** -1));
  });
  expect(found.filter((each) => each !== undefined).length).toBeLessThanOrEqual(2);
});

test('nor does noise whose steps are much like the one before', () => {
  const found = Array.from({ length: 1_000 }, (_, seed) => {
    const next = random(seed * 7919 + 1);
    let level = 0;
    return growthOf(
      Array.from({ length: 200 }, () => {
        level = 0.9 * level + (next() - 0.5) * 0.2;
        return Math.exp(level);
      }),
    );
  });
  expect(found.filter((each) => each !== undefined).length).toBeLessThanOrEqual(2);
});

test('a few values tell nothing, and any others are told in order', () => {
  expect(growthOf(series(12, (at) => 10 + 90 * at, 0))).toBeUndefined();
  expect(growthOf([])).toBeUndefined();
  fc.assert(
    fc.property(fc.array(fc.double({ min: 0, max: 1e12, noNaN: true })), (values) => {
      const grown = growthOf(values);
      if (grown !== undefined) expect(grown.to).toBeGreaterThan(grown.from);
    }),
  );
});

test('the means of its first and last quarter leave out the warm-up too', () => {
  expect(quarterMeans([...Array(10).fill(99), ...series(90, () => 4, 0)])).toEqual({
    from: 4,
    to: 4,
  });
});
