import fc from 'fast-check';
import { expect, test } from 'vitest';
import { MOST_RUNS, MOST_TILES, parseTilesQuery, type TileRun, tilesQuery } from './tiles-query.ts';

const one: TileRun = { track: 0, part: 0, level: 0, first: 0, count: 1 };
const asked = (runs: readonly TileRun[], filter = '') =>
  parseTilesQuery(tilesQuery({ filter, runs }));

test('what is asked for is what was wanted', () => {
  const nat = fc.nat();
  const run = fc.record({
    track: nat,
    part: fc.integer({ min: -2, max: 9 }),
    level: fc.nat(53),
    first: fc.maxSafeNat(),
    count: fc.nat(Math.floor(MOST_TILES / MOST_RUNS)),
  });
  const wanted = fc.record({
    filter: fc.string({ unit: 'grapheme', maxLength: 100 }),
    runs: fc.array(run, { minLength: 1, maxLength: MOST_RUNS }),
  });
  fc.assert(
    fc.property(wanted, (each) => {
      expect(parseTilesQuery(tilesQuery(each))).toEqual(each);
    }),
    { numRuns: 200 },
  );
});

test('as many runs and tiles as one answer holds, and no more', () => {
  const runs = (count: number) => Array.from({ length: count }, () => one);
  expect(asked(runs(MOST_RUNS))?.runs).toHaveLength(MOST_RUNS);
  expect(asked(runs(MOST_RUNS + 1))).toBeUndefined();
  expect(asked([{ ...one, count: MOST_TILES - 1 }, one])).toBeDefined();
  expect(asked([{ ...one, count: MOST_TILES }, one])).toBeUndefined();
});

test('a filter longer than any that is kept is refused', () => {
  expect(asked([one], 'f'.repeat(500))?.filter).toHaveLength(500);
  expect(asked([one], 'f'.repeat(501))).toBeUndefined();
});

test('a level is one that a trace can have', () => {
  expect(asked([{ ...one, level: 53 }])).toBeDefined();
  expect(asked([{ ...one, level: 54 }])).toBeUndefined();
  expect(asked([{ ...one, level: 2 ** 40 }])).toBeUndefined();
});

test.each([
  ...['', 'filter=x', 'runs=', 'runs=0', 'runs=0.0.0.0', 'runs=0.0.0.0.1.0', 'runs=a.0.0.0.1'],
  ...['runs=-1.0.0.0.1', 'runs=0.0.-1.0.1', 'runs=0.0.0.-1.1', 'runs=0.0.0.0.-1'],
  ...['runs=0.0.0.0.1e3', 'runs=0.0.0.0.0x1', 'runs=0.0.0.0.1 ', 'runs=0.0.0.0.1%0A'],
  ...['runs=0.0.0.0.1,', 'runs=,0.0.0.0.1', 'runs=0.0.0.0.1;0.0.0.0.1', 'runs=0.0.0.0.NaN'],
  ...['runs=0.0.0.9007199254740992.1', `runs=${'9'.repeat(400)}.0.0.0.1`, 'runs=0.0.0.0.1.'],
])('%s asks for nothing', (query) => {
  expect(parseTilesQuery(query)).toBeUndefined();
});
