import fc from 'fast-check';
import { expect, test } from 'vitest';
import { randomFrom } from '../../analysis/threads/testing/random-time.ts';
import type { Samples } from '../model/track-model.ts';
import { BUCKETS, bucketNsOf, tileNsOf, topLevel } from './lane-tile.ts';
import { joinLineTiles, makeLineTile } from './line-tile.ts';

function samplesOf(all: readonly (readonly [timeNs: number, value: number])[]): Samples {
  const sorted = all.toSorted(([a], [b]) => a - b);
  return {
    timesNs: Float64Array.from(sorted, ([timeNs]) => timeNs),
    values: Float64Array.from(sorted, ([, value]) => value),
  };
}

const lengthNs = 3 * tileNsOf(3);
/** Some samples have the same time: of `most`, every 100th or so of them. */
const anySamples = (most: number) =>
  fc.tuple(fc.nat(), fc.nat(most)).map(([seed, count]) => {
    const random = randomFrom(seed);
    return samplesOf(Array.from({ length: count }, () => [random(lengthNs), random(100) - 50]));
  });

/** By bucket, the lowest and the highest value. */
function extremes({ timesNs, values }: Samples, bucketNs: number) {
  const found = new Map<number, readonly [lowest: number, highest: number]>();
  timesNs.forEach((timeNs, at) => {
    const bucket = Math.floor(timeNs / bucketNs);
    const value = values[at];
    const [lowest, highest] = found.get(bucket) ?? [value, value];
    found.set(bucket, [Math.min(lowest, value), Math.max(highest, value)]);
  });
  return found;
}

const pairsOf = ({ timesNs, values }: Samples) =>
  Array.from(timesNs, (timeNs, at) => [timeNs, values[at]] as const);

test('the lowest and the highest value of each bucket survive, and nothing is made up', () => {
  fc.assert(
    fc.property(anySamples(9_000), fc.integer({ min: 0, max: 4 }), (samples, level) => {
      const bucketNs = bucketNsOf(level);
      const count = Math.ceil(lengthNs / tileNsOf(level));
      const tiles = Array.from({ length: count }, (_, at) => makeLineTile(samples, level, at));
      const joined = joinLineTiles(tiles);
      expect(extremes(joined, bucketNs)).toEqual(extremes(samples, bucketNs));
      const real = new Set(pairsOf(samples).map(String));
      expect(pairsOf(joined).filter((pair) => !real.has(String(pair)))).toEqual([]);
      expect(joined.timesNs).toEqual(joined.timesNs.toSorted());
      for (const tile of tiles)
        if (!tile.isExact) expect(tile.timesNs.length).toBeLessThanOrEqual(2 * (BUCKETS + 2));
    }),
    { numRuns: 40 },
  );
});

test('exact tiles side by side are the samples; of the same pair one is enough', () => {
  fc.assert(
    fc.property(anySamples(1_000), fc.integer({ min: 0, max: 4 }), (samples, level) => {
      const count = Math.ceil(lengthNs / tileNsOf(level));
      const tiles = Array.from({ length: count }, (_, at) => makeLineTile(samples, level, at));
      expect(tiles.every(({ isExact }) => isExact)).toBe(true);
      const pairs = pairsOf(samples);
      const distinct = pairs.filter((pair, at) => String(pair) !== String(pairs[at - 1]));
      expect(pairsOf(joinLineTiles(tiles))).toEqual(distinct);
    }),
    { numRuns: 60 },
  );
});

test('a tile has the sample before it and the one behind, so that lines go on beyond the edges', () => {
  const samples = samplesOf([
    [10, 1],
    [tileNsOf(0) + 5, 2],
    [3 * tileNsOf(0), 3],
  ]);
  expect(pairsOf(makeLineTile(samples, 0, 1))).toEqual(pairsOf(samples));
  expect(pairsOf(makeLineTile(samples, 0, 2))).toEqual(pairsOf(samples).slice(1));
  const many = samplesOf(Array.from({ length: 9_000 }, (_, at) => [at, at % 7]));
  const middle = makeLineTile(many, 2, 1);
  expect(middle.isExact).toBe(false);
  expect([middle.timesNs[0], middle.timesNs.at(-1)]).toEqual([2047, 4096]);
});

test('one tile of the top level is of all samples', () => {
  const samples = samplesOf(Array.from({ length: 300 }, (_, at) => [at * 1e6, at]));
  expect(pairsOf(makeLineTile(samples, topLevel(300e6), 0))).toEqual(pairsOf(samples));
});

test('what is not here yet is left out, and one tile that holds several places counts once', () => {
  const samples = samplesOf([
    [1, 1],
    [2, 2],
  ]);
  const tile = makeLineTile(samples, 9, 0);
  expect(pairsOf(joinLineTiles([tile, undefined, tile]))).toEqual(pairsOf(samples));
  expect(joinLineTiles([undefined])).toEqual(samplesOf([]));
});
