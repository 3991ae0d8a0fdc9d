import fc from 'fast-check';
import { expect, test } from 'vitest';
import { buildLane, type EventLane, ownEvents, summarizePixels } from '../model/pyramid.ts';
import { durationsOf, startsOf } from '../testing/lane-times.ts';
import { joinTiles } from './join-tiles.ts';
import { BUCKETS, bucketNsOf, levelFor, makeTile, tileNsOf, topLevel } from './lane-tile.ts';

const KIND = 7;

type Events = readonly (readonly [startNs: number, durationNs: number])[];

function laneOf(events: Events): EventLane {
  const sorted = events.toSorted(([a], [b]) => a - b);
  return buildLane(
    ownEvents({
      startNs: Float64Array.from(sorted, ([startNs]) => startNs),
      durationNs: Float64Array.from(sorted, ([, durationNs]) => durationNs),
      rows: Uint32Array.from(sorted.keys()),
      colours: Uint8Array.from(sorted.keys(), (row) => row % 8),
    }),
  );
}

/** Each ends where the next begins, or before. */
function apart(events: Events): Events {
  const sorted = events.toSorted(([a], [b]) => a - b);
  return sorted.map(([startNs, durationNs], at) => [
    startNs,
    Math.min(durationNs, (sorted[at + 1]?.[0] ?? Number.POSITIVE_INFINITY) - startNs),
  ]);
}

const lanes = fc
  .array(fc.tuple(fc.integer({ min: 0, max: 40_000 }), fc.integer({ min: 0, max: 900 })), {
    minLength: 1,
    maxLength: 3_000,
    size: 'max',
  })
  .chain((events) =>
    // Now and then one around all others, or none that overlap.
    fc.constantFrom(events, [[0, 60_000] as const, ...events], apart(events)).map(laneOf),
  );

function summaries(lane: EventLane, startNs: number, nsPerPixel: number, pixels: number) {
  const out = {
    longest: new Int32Array(pixels),
    counts: new Uint32Array(pixels),
    busyNs: new Float64Array(pixels),
  };
  summarizePixels(lane, startNs, nsPerPixel, pixels, out);
  const startOf = (index: number) => (index < 0 ? -1 : lane.times.durationNs(index));
  return {
    longest: Array.from(out.longest, startOf),
    counts: [...out.counts],
    busyNs: [...out.busyNs],
  };
}

test('tiles side by side say of each bucket what the lane says', () => {
  fc.assert(
    fc.property(lanes, fc.integer({ min: 0, max: 6 }), (lane, level) => {
      const tiles = [0, 1, 2].map((index) => makeTile(lane, () => KIND, level, index));
      const joined = joinTiles(tiles, level, 0, lane);
      const bucketNs = bucketNsOf(level);
      const told = summaries(joined, 0, bucketNs, 3 * BUCKETS);
      const exact = summaries(lane, 0, bucketNs, 3 * BUCKETS);
      expect(told.longest).toEqual(exact.longest);
      expect(told.counts.map((count) => count > 0)).toEqual(exact.counts.map((count) => count > 0));
      told.busyNs.forEach((ns, at) => {
        expect(ns).toBeCloseTo(exact.busyNs[at] ?? Number.NaN, 3);
      });
    }),
    { numRuns: 30, endOnFailure: true },
  );
});

test('at any scale that a level serves, pixels are as busy as they were, and no longest event is lost', () => {
  fc.assert(
    fc.property(lanes, fc.double({ min: 1, max: 60, noNaN: true }), (lane, nsPerPixel) => {
      const level = levelFor(nsPerPixel);
      const bucketNs = bucketNsOf(level);
      const pixels = Math.floor((2 * tileNsOf(level)) / nsPerPixel);
      const tiles = [0, 1].map((index) => makeTile(lane, () => KIND, level, index));
      const joined = joinTiles(tiles, level, 0, lane);
      const told = summaries(joined, 0, nsPerPixel, pixels);
      const exact = summaries(lane, 0, nsPerPixel, pixels);
      exact.longest.forEach((ns, pixel) => {
        // Where a bucket lies in two pixels, it counts for one of them.
        const near = told.longest.slice(Math.max(0, pixel - 1), pixel + 2);
        expect(Math.max(...near)).toBeGreaterThanOrEqual(ns);
      });
      told.busyNs.forEach((ns, pixel) => {
        expect(Math.abs(ns - (exact.busyNs[pixel] ?? 0))).toBeLessThanOrEqual(2 * bucketNs + 1e-6);
      });
      const sum = (all: readonly number[]) => all.reduce((total, ns) => total + ns, 0);
      expect(Math.abs(sum(told.busyNs) - sum(exact.busyNs))).toBeLessThanOrEqual(bucketNs + 1e-3);
    }),
    { numRuns: 30, endOnFailure: true },
  );
});

test('a lane that is busy all the time is drawn without stripes', () => {
  const lane = laneOf(Array.from({ length: 20_000 }, (_, at) => [at * 2, 2]));
  const tiles = [0, 1].map((index) => makeTile(lane, () => KIND, 3, index));
  const { busyNs } = summaries(joinTiles(tiles, 3, 0, lane), 0, 12, 600);
  for (const ns of busyNs) expect(ns).toBeCloseTo(12, 6);
});

test('what lies inside a long event is told, however much came before', () => {
  const inner = Array.from({ length: 50_000 }, (_, at) => [at * 20, 10] as const);
  const lane = laneOf([[0, 1_000_000], ...inner]);
  const tile = makeTile(lane, () => KIND, 4, 100);
  expect(tile.buckets).toBeUndefined();
  const [first, ...others] = tile.events.durationNs;
  expect(first).toBe(1_000_000);
  // 8192 ns of events 20 ns apart, and the one that is open at its begin.
  expect(others.length).toBeGreaterThanOrEqual(410);
  expect(others.length).toBeLessThanOrEqual(411);
});

test('a tile with few events is exact, and serves every finer scale', () => {
  const lane = laneOf([
    [100, 5],
    [90_000, 40_000],
    [200_000, 0],
  ]);
  const level = topLevel(250_000);
  const tile = makeTile(lane, (index) => index, level, 0);
  expect(tile.buckets).toBeUndefined();
  expect([...tile.events.kinds]).toEqual([0, 1, 2]);
  const fine = joinTiles([tile, tile], 4, 10, lane);
  expect(fine.buckets).toBeUndefined();
  expect([...startsOf(fine)]).toEqual([100, 90_000, 200_000]);
});

test('a coarse tile stands in for a finer one that is not here yet', () => {
  const lane = laneOf(Array.from({ length: 5_000 }, (_, at) => [at * 10, at === 2_500 ? 300 : 5]));
  const coarse = makeTile(lane, () => KIND, topLevel(50_000), 0);
  const fine = makeTile(lane, () => KIND, 2, 12);
  const joined = joinTiles([fine, coarse, undefined], 2, 12, lane);
  const told = summaries(joined, 12 * tileNsOf(2), bucketNsOf(2), 3 * BUCKETS);
  const isEmpty = (from: number, to: number) => told.counts.slice(from, to).every((n) => n === 0);
  expect(isEmpty(0, BUCKETS)).toBe(false);
  expect(told.longest.slice(BUCKETS, 2 * BUCKETS).every((ns) => ns >= 0)).toBe(true);
  expect(isEmpty(2 * BUCKETS + 1, 3 * BUCKETS)).toBe(true);
  expect(joined.meanNs).toBe(lane.meanNs);
});

test('tiles of any levels side by side have each of their events once, in order of start', () => {
  const level = 3;
  // Of each place its own tile, one that holds the places beside it too, or none.
  const kinds = fc.array(fc.constantFrom('own', 'coarse', 'none'), { minLength: 1, maxLength: 9 });
  fc.assert(
    fc.property(lanes, kinds, (lane, chosen) => {
      const coarse = makeTile(lane, (event) => event % 5, level + 3, 0);
      const tiles = chosen.map((kind, index) =>
        kind === 'own' ? makeTile(lane, (event) => event % 5, level, index) : coarse,
      );
      const known = tiles.map((tile, at) => (chosen[at] === 'none' ? undefined : tile));
      const told = joinTiles(known, level, 0, lane);
      const rows = new Set(known.flatMap((tile) => [...(tile?.events.rows ?? [])]));
      // A row of the lane is its place in the order of start.
      const inOrder = [...rows].toSorted((a, b) => a - b);
      expect([...told.rows]).toEqual(inOrder);
      expect([...startsOf(told)]).toEqual(inOrder.map((row) => lane.times.startNs(row)));
      expect([...durationsOf(told)]).toEqual(inOrder.map((row) => lane.times.durationNs(row)));
      expect([...told.colours]).toEqual(inOrder.map((row) => lane.colours[row]));
      expect([...told.kinds]).toEqual(inOrder.map((row) => row % 5));
    }),
    { numRuns: 30, endOnFailure: true },
  );
});
