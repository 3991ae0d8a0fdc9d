import { deserialize, serialize } from 'node:v8';
import fc from 'fast-check';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import type { TileRun } from '../../shared/rpc/tiles-query.ts';
import { KeptTiles, type KeptTilesContent } from '../../timeline/tiles/kept-tiles.ts';
import { tileNsOf, topLevel } from '../../timeline/tiles/lane-tile.ts';
import { GROUND, SUMMARY } from '../../timeline/tiles/tile-answers.ts';
import { traceArbitrary } from '../../trace/testing/trace-arbitrary.ts';
import { askedAbout } from './asked-about.ts';
import { keptView } from './kept-view.ts';
import { summarise } from './summarise.ts';

beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] }));
afterEach(() => void vi.useRealTimers());

/** All of a trace, on a screen of that level below the top. */
const wholeRun = (track: number, part: number, lengthNs: number, below: number): TileRun => {
  const level = Math.max(0, topLevel(lengthNs) - below);
  return { track, part, level, first: 0, count: 1 + Math.floor(lengthNs / tileNsOf(level)) };
};

test('what is told of the first view of any trace is told the next time, just so, without the trace', () => {
  fc.assert(
    fc.property(traceArbitrary, (trace) => {
      const summary = summarise(trace);
      const timeline = askedAbout(trace, summary).timeline();
      const tracks = timeline.tracks.groups.flatMap((group) => group.tracks);
      const { overview } = timeline.tracks;
      const numbers = [
        ...tracks.map(({ number }) => number),
        ...(overview === undefined ? [] : [overview]),
      ];
      const runs = numbers.flatMap((track) =>
        [SUMMARY, GROUND, 0, 1].flatMap((part) =>
          [0, 1].map((below) => wholeRun(track, part, summary.lengthNs, below)),
        ),
      );
      const first = new KeptTiles();
      for (const run of runs) {
        const wanted = { filter: '', runs: [run] };
        first.note(wanted, timeline.tiles(wanted), summary.lengthNs);
      }
      const content = deserialize(serialize(first.content)) as KeptTilesContent;
      const again = new KeptTiles(content);
      for (const run of runs) {
        const wanted = { filter: '', runs: [run] };
        const { lanes, lines, buckets } = timeline.tiles(wanted);
        const isTold = lanes.length + lines.length + buckets.length > 0;
        expect(again.find(wanted)).toEqual(isTold ? timeline.tiles(wanted) : undefined);
      }
      const wanted = { filter: '', runs };
      const found = again.find(wanted);
      if (found !== undefined) expect({ ...found, isCut: false }).toEqual(timeline.tiles(wanted));
    }),
    { seed: 1, numRuns: 50 },
  );
});

const lengthNs = 512 * 2 ** 20;
const events = {
  ...{ startNs: Float64Array.of(1), durationNs: Float64Array.of(2) },
  ...{ rows: Uint32Array.of(0), colours: Uint8Array.of(3), kinds: Uint32Array.of(4) },
};
const laneOf = (track: number, level: number) => ({
  ...{ track, part: SUMMARY, meanNs: 2, names: [[4, 'a kind']] as const },
  tiles: [{ level, index: 0, events }],
});
const answerOf = (...lanes: ReturnType<typeof laneOf>[]) => ({
  ...{ lanes, lines: [], buckets: [], isCut: false },
});
const run = (track: number, level: number): TileRun => ({
  ...{ track, part: SUMMARY, level, first: 0, count: 1 },
});

test('of what is wanted that is told which is kept, and that there is more', () => {
  const tiles = new KeptTiles();
  const told = answerOf(laneOf(1, 20), laneOf(2, 20));
  expect(tiles.note({ filter: '', runs: [run(1, 20), run(2, 20)] }, told, lengthNs)).toBe(true);
  expect(tiles.find({ filter: '', runs: [run(2, 20), run(3, 20)] })).toEqual({
    ...answerOf(laneOf(2, 20)),
    isCut: true,
  });
  expect(tiles.find({ filter: '', runs: [run(3, 20)] })).toBeUndefined();
  expect(tiles.find({ filter: '', runs: [{ ...run(1, 20), count: 2 }] })).toBeUndefined();
  // Of other events than those that were told.
  expect(tiles.find({ filter: 'copy', runs: [run(1, 20)] })).toBeUndefined();
});

test('only tiles of all events, and of a view of the whole trace, are kept', () => {
  const tiles = new KeptTiles();
  expect(tiles.note({ filter: '', runs: [run(1, 10)] }, answerOf(laneOf(1, 10)), lengthNs)).toBe(
    false,
  );
  expect(tiles.note({ filter: 'x', runs: [run(1, 20)] }, answerOf(laneOf(1, 20)), lengthNs)).toBe(
    false,
  );
  expect(tiles.find({ filter: '', runs: [run(1, 10)] })).toBeUndefined();
  expect(tiles.find({ filter: '', runs: [run(1, 20)] })).toBeUndefined();
});

test('tiles are kept up to a few megabytes, those that were asked for first', () => {
  const tiles = new KeptTiles();
  const many = 100_000;
  const large = (track: number) => ({
    ...laneOf(track, 20),
    tiles: [{ level: 20, index: 0, events: { ...events, rows: new Uint32Array(many) } }],
  });
  for (let track = 0; track < 10; track++)
    tiles.note({ filter: '', runs: [run(track, 20)] }, answerOf(large(track)), lengthNs);
  expect(tiles.find({ filter: '', runs: [run(0, 20)] })).toBeDefined();
  expect(tiles.find({ filter: '', runs: [run(9, 20)] })).toBeUndefined();
  expect(serialize(tiles.content).length).toBeLessThan(8 * 2 ** 20);
});

test('a first view is written once its tiles are there, with what was kept of it before', async () => {
  const files = new Map<string, Buffer>();
  const kept = {
    answer: async (question: string) => {
      const file = files.get(question);
      return file && deserialize(file);
    },
    keepAnswer: async (question: string, answer: unknown) => {
      files.set(question, serialize(answer));
    },
  };
  for (const track of [1, 2]) {
    const view = keptView(kept);
    view.note({ filter: '', runs: [run(track, 20)] }, answerOf(laneOf(track, 20)), lengthNs);
    await view.find({ filter: '', runs: [run(track, 20)] });
    vi.runAllTimers();
    await Promise.resolve();
  }
  const wanted = { filter: '', runs: [run(1, 20), run(2, 20)] };
  expect(await keptView(kept).find(wanted)).toEqual(answerOf(laneOf(1, 20), laneOf(2, 20)));
});
