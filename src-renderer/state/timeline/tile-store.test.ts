import { describe, expect, test, vi } from 'vitest';
import { fail, ok } from '../../../src-main/shared/rpc/result.ts';
import {
  MOST_RUNS,
  MOST_TILES,
  type TilesWanted,
} from '../../../src-main/shared/rpc/tiles-query.ts';
import { recordedGroups } from '../../../src-main/timeline/build/build-tracks.ts';
import {
  type EventLane,
  firstEndingAt,
  firstStartingAt,
  summarizeStretch,
} from '../../../src-main/timeline/model/pyramid.ts';
import { isEventTrack, type LaneView } from '../../../src-main/timeline/model/track-model.ts';
import { startsOf } from '../../../src-main/timeline/testing/lane-times.ts';
import { smallTimeline } from '../../../src-main/timeline/testing/small-timeline.ts';
import { topLevel } from '../../../src-main/timeline/tiles/lane-tile.ts';
import { SUMMARY, type ToldLane } from '../../../src-main/timeline/tiles/tile-answers.ts';
import { timelineAnswers } from '../../../src-main/timeline/tiles/timeline-answers.ts';
import { matchedLane } from '../../../src-main/timeline/view/matched-lanes.ts';
import { parseFilter } from '../../../src-main/timeline/view/track-filter.ts';
import { FakeApi } from '../testing/fake-api.ts';
import { answerTimeline } from '../testing/fake-timeline.ts';
import { TileStore } from './tile-store.svelte.ts';

const data = smallTimeline();
const { lengthNs } = data.summary;
const tracks = recordedGroups(data).flatMap((group) => group.tracks);
const [{ number: first } = { number: Number.NaN }] =
  timelineAnswers(data).tracks.groups[0]?.tracks ?? [];
const numberOf = (id: string) => first + tracks.findIndex((track) => track.id === id);
const trackOf = (number: number) => tracks[number - first];
const calls = numberOf('cuda_call:0');
const waits = numberOf('off_cpu:1');
const ranges = numberOf('range:0');
const samples = numberOf('sample:-1:CPU (%)');
const counts = numberOf('aggregate:1:0');

/** One line of all events of a track, as it is with the trace at hand. */
function summaryOf(number: number): EventLane {
  const track = trackOf(number);
  if (track === undefined || !isEventTrack(track)) throw new Error('no such track');
  return track.summary();
}

const whole: LaneView = { startNs: 0, endNs: lengthNs, nsPerPixel: 4_000 };
/** So near that a tile has a few hundred events only. */
const near: LaneView = { startNs: 300_000, endNs: 306_000, nsPerPixel: 8 };
const nsOfNear = [near.startNs, near.endNs] as const;

/** Events that are at least partly in a view, by start and duration. */
function eventsIn(lane: EventLane, startNs: number, endNs: number) {
  const from = firstEndingAt(lane, startNs);
  const to = firstStartingAt(lane, endNs);
  return Array.from({ length: Math.max(0, to - from) }, (_, at) => [
    lane.times.startNs(from + at),
    lane.times.durationNs(from + at),
    lane.rows.at(from + at),
  ]);
}

function setUp(now = () => 0) {
  const fake = answerTimeline(new FakeApi(), data);
  const asked: TilesWanted[] = [];
  const { tiles } = fake;
  let gate = Promise.resolve();
  fake.tiles = async (...args) => {
    asked.push(args[1]);
    await gate;
    return tiles(...args);
  };
  const store = new TileStore(fake.api, 'small', lengthNs, now);
  /** Done when the answer is here. */
  const answered = async () => {
    const { version } = store;
    await vi.waitFor(() => expect(store.version).toBeGreaterThan(version));
  };
  /** Long enough that a question would have been asked. */
  const rest = () => new Promise((resolve) => setTimeout(resolve, 5));
  /** Answers wait until it is called. */
  const hold = () => {
    const held = Promise.withResolvers<void>();
    gate = held.promise;
    return held.resolve;
  };
  return { fake, asked, store, answered, rest, hold, tiles };
}

describe('what is drawn', () => {
  test('is asked for together and once, and not again while the answer is on its way', async () => {
    const { asked, store, answered, rest, hold } = setUp();
    const release = hold();
    const draw = () => [
      store.lane(calls, SUMMARY, whole).length,
      store.lane(waits, SUMMARY, whole).length > 0,
      store.samples(samples, whole).timesNs.length > 0,
      store.buckets(counts).counts.length,
    ];
    expect(store.isBusy).toBe(false);
    for (let frame = 0; frame < 3; frame++) expect(draw()).toEqual([0, false, false, 0]);
    expect(store.isBusy).toBe(true);
    await rest();
    expect(draw()).toEqual([0, false, false, 0]);
    await rest();
    expect(asked.map(({ filter, runs }) => [filter, runs.map(({ track }) => track)])).toEqual([
      ['', [calls, waits, samples, counts]],
    ]);
    release();
    await answered();
    expect(draw()).toEqual([2, true, true, 2]);
    await rest();
    expect([asked.length, store.isBusy, store.failure]).toEqual([1, false, undefined]);
  });

  test('meanwhile is asked for next', async () => {
    const { asked, store, answered, rest, hold } = setUp();
    const release = hold();
    store.lane(calls, SUMMARY, whole);
    await rest();
    store.lane(ranges, SUMMARY, whole);
    release();
    await answered();
    expect(store.lane(ranges, SUMMARY, whole).length).toBe(0);
    await answered();
    expect(store.lane(ranges, SUMMARY, whole).length).toBe(2);
    expect(asked.map(({ runs }) => runs.map(({ track }) => track))).toEqual([[calls], [ranges]]);
  });

  test('is drawn from coarser tiles until its own are here, and from far again at once', async () => {
    const { asked, store, answered, rest } = setUp();
    store.lane(waits, SUMMARY, whole);
    await answered();
    const far = store.lane(waits, SUMMARY, whole);
    expect(far.buckets).toBeDefined();
    const coarse = store.lane(waits, SUMMARY, near);
    expect(coarse.buckets).toBeDefined();
    expect(summarizeStretch(coarse, ...nsOfNear).busyNs).toBeGreaterThan(0);
    expect(eventsIn(coarse, ...nsOfNear)).not.toEqual(eventsIn(summaryOf(waits), ...nsOfNear));
    await answered();
    const fine = store.lane(waits, SUMMARY, near);
    expect(fine.buckets).toBeUndefined();
    expect(eventsIn(fine, ...nsOfNear)).toEqual(eventsIn(summaryOf(waits), ...nsOfNear));
    expect(fine.meanNs).toBe(summaryOf(waits).meanNs);
    // The tiles of before are here still, and of the same question there is one object.
    expect(startsOf(store.lane(waits, SUMMARY, whole))).toEqual(startsOf(far));
    const again = store.lane(waits, SUMMARY, near);
    expect(store.lane(waits, SUMMARY, near)).toBe(again);
    await rest();
    const placesOf = (at: number) => asked[at]?.runs.map(({ first, count }) => [first, count]);
    expect(placesOf(1)).toEqual([[73, 2]]);
    // Nothing that is on the screen is lacking: a tile more on either side, for when it moves.
    expect(placesOf(2)).toEqual([[72, 4]]);
    expect(asked).toHaveLength(3);
    expect(store.isBusy).toBe(false);
  });

  test('is not all here where the view moved on while tiles beside it are fetched, until its own are drawn', async () => {
    const { asked, store, answered, rest, hold } = setUp();
    const elsewhere: LaneView = { startNs: 600_000, endNs: 606_000, nsPerPixel: 8 };
    store.lane(waits, SUMMARY, near);
    await answered();
    const release = hold();
    store.lane(waits, SUMMARY, near);
    await rest();
    // Only what lies beside the view is on its way.
    expect([asked.length, store.isBusy]).toEqual([2, false]);
    const coarse = store.lane(waits, SUMMARY, elsewhere);
    expect(coarse.buckets).toBeDefined();
    await rest();
    expect([asked.length, store.isBusy]).toEqual([2, true]);
    release();
    await answered();
    // It was not of this view: that is asked for by the frame that draws it.
    expect(store.isBusy).toBe(true);
    expect(store.lane(waits, SUMMARY, elsewhere).buckets).toBeDefined();
    await answered();
    expect(store.isBusy).toBe(true);
    const fine = store.lane(waits, SUMMARY, elsewhere);
    expect(fine.buckets).toBeUndefined();
    await rest();
    expect(store.isBusy).toBe(false);
  });

  test('at its first time comes with all of the trace, so that there is something at any scale', async () => {
    const { asked, store, answered } = setUp();
    store.lane(waits, SUMMARY, near);
    await answered();
    const top = topLevel(lengthNs);
    expect(asked[0]?.runs.map(({ level, first, count }) => [level, first, count])).toEqual([
      [top, 0, 1],
      [3, 73, 2],
    ]);
  });

  test('from few events is whole at any scale: nothing more is asked for', async () => {
    const { asked, store, answered, rest } = setUp();
    store.lane(calls, SUMMARY, whole);
    await answered();
    expect(eventsIn(store.lane(calls, SUMMARY, near), 0, lengthNs)).toEqual(
      eventsIn(summaryOf(calls), 0, lengthNs),
    );
    await rest();
    expect(asked).toHaveLength(1);
  });

  test('without a view is what was looked at last', async () => {
    const { store, answered } = setUp();
    expect(store.lane(calls, SUMMARY).length).toBe(0);
    expect(store.samples(samples).timesNs.length).toBe(0);
    store.lane(calls, SUMMARY, whole);
    store.samples(samples, whole);
    await answered();
    const drawn = [store.lane(calls, SUMMARY, whole), store.samples(samples, whole)];
    expect(store.lane(calls, SUMMARY)).toBe(drawn[0]);
    expect(store.samples(samples)).toBe(drawn[1]);
  });

  test('of values has the lowest and the highest from afar, and all from near', async () => {
    const { store, answered } = setUp();
    const line = trackOf(samples);
    if (line?.kind !== 'line') throw new Error('no such track');
    const all = line.samples();
    store.samples(samples, whole);
    await answered();
    const far = store.samples(samples, whole);
    expect(far.timesNs.length).toBeLessThan(all.timesNs.length);
    expect([Math.min(...far.values), Math.max(...far.values)]).toEqual([0, 100]);
    store.samples(samples, near);
    await answered();
    const shown = (timesNs: Float64Array) =>
      [...timesNs].filter((ns) => ns >= near.startNs && ns < near.endNs);
    expect(shown(store.samples(samples, near).timesNs)).toEqual(shown(all.timesNs));
    expect(shown(all.timesNs).length).toBeGreaterThan(5);
  });

  test('of counts is what the recorder counted', async () => {
    const { asked, store, answered, rest } = setUp();
    const counted = trackOf(counts);
    if (counted?.kind !== 'buckets') throw new Error('no such track');
    expect(store.buckets(counts).counts.length).toBe(0);
    await answered();
    expect(store.buckets(counts)).toEqual({ track: counts, ...counted.buckets() });
    await rest();
    expect(asked).toHaveLength(1);
  });
});

test('what events are called is known with them', async () => {
  const { store, answered } = setUp();
  expect([store.nameOf(calls, 0), [...store.kindsSeen(calls)]]).toEqual(['', []]);
  store.lane(calls, SUMMARY, whole);
  await answered();
  const { kinds } = store.lane(calls, SUMMARY, whole);
  const names = Array.from(kinds, (kind) => store.nameOf(calls, kind));
  expect(names).toEqual(['cudaMemcpyAsync', 'cudaLaunchKernel']);
  expect(new Set(store.kindsSeen(calls))).toEqual(new Set(kinds));
  // A call inside another is on a line of its own.
  store.lane(calls, 1, whole);
  await answered();
  const [kind = -1] = store.lane(calls, 1, whole).kinds;
  expect(store.nameOf(calls, kind)).toBe('cuMemcpyHtoD');
});

test('a track has one line until it is known how many it has', async () => {
  const { store, answered } = setUp();
  store.lane(ranges, SUMMARY, whole);
  await answered();
  expect(store.lineCount(ranges)).toBe(1);
  store.lane(ranges, 0, whole);
  await answered();
  expect(store.lineCount(ranges)).toBe(2);
  expect(store.lane(ranges, 0, whole).length).toBe(1);
  expect(store.lineCount(calls)).toBe(1);
});

test('what a filter picks is asked for by the filter, beside all events', async () => {
  const { asked, store, answered } = setUp();
  const filter = 'name:runnable';
  const track = trackOf(waits);
  if (track === undefined || !isEventTrack(track)) throw new Error('no such track');
  const draw = () => [
    store.lane(waits, SUMMARY, near),
    store.lane(waits, SUMMARY, near, filter),
    store.lane(waits, SUMMARY, near, 'dur>1s'),
  ];
  draw();
  await answered();
  expect(asked.map((each) => each.filter)).toEqual(['', filter, 'dur>1s']);
  const [all, picked, none] = draw();
  const matched = matchedLane(track, track.summary(), parseFilter(filter));
  expect(eventsIn(all as EventLane, ...nsOfNear)).toEqual(eventsIn(track.summary(), ...nsOfNear));
  expect(eventsIn(picked as EventLane, ...nsOfNear)).toEqual(eventsIn(matched, ...nsOfNear));
  expect(none?.length).toBe(0);
});

test('a lane that one frame has no time for is drawn as it was, and by its own tiles in the next', async () => {
  let ms = 0;
  const { store, rest } = setUp(() => (ms += 10));
  const closer = { startNs: lengthNs / 4, endNs: lengthNs / 2, nsPerPixel: 2_000 };
  const draw = (view: LaneView) => [SUMMARY, 0].map((part) => store.lane(waits, part, view));
  const settle = async (view: LaneView) => {
    draw(view);
    while (store.isBusy) {
      await rest();
      draw(view);
    }
    return draw(view);
  };
  await settle(closer);
  const far = await settle(whole);
  const { version } = store;
  const frame = draw(closer);
  expect(frame[0]).not.toBe(far[0]);
  expect(frame[1]).toBe(far[1]);
  expect(store.isBusy).toBe(true);
  await Promise.resolve();
  expect(store.version).toBeGreaterThan(version);
  const next = draw(closer);
  expect(next[0]).toBe(frame[0]);
  expect(next[1]?.buckets?.bucketNs).toBe(1024);
  await Promise.resolve();
  expect(store.isBusy).toBe(false);
});

describe('what does not come', () => {
  test('is not asked for again, until somebody wants it to be', async () => {
    const { fake, asked, store, answered, rest, tiles } = setUp();
    store.lane(ranges, SUMMARY, whole);
    await answered();
    const failing = vi.fn(async () => fail('disconnected', 'Connection lost.'));
    fake.tiles = failing;
    store.lane(calls, SUMMARY, whole);
    await answered();
    expect(store.failure).toMatchObject({ code: 'disconnected', message: 'Connection lost.' });
    expect(store.isBusy).toBe(false);
    expect(store.lane(calls, SUMMARY, whole).length).toBe(0);
    // What was here stays.
    expect(store.lane(ranges, SUMMARY, whole).length).toBe(2);
    await rest();
    expect(failing).toHaveBeenCalledTimes(1);
    fake.tiles = (...args) => {
      asked.push(args[1]);
      return tiles(...args);
    };
    const { version } = store;
    store.retry();
    expect(store.failure).toBeUndefined();
    expect(store.version).toBeGreaterThan(version);
    store.lane(calls, SUMMARY, whole);
    await answered();
    expect(store.lane(calls, SUMMARY, whole).length).toBe(2);
  });

  test('to ask again for nothing changes nothing', async () => {
    const { store } = setUp();
    const { version } = store;
    store.retry();
    expect(store.version).toBe(version);
  });

  test('because the trace has no such track is not asked for over and over', async () => {
    const { asked, store, answered, rest } = setUp();
    for (let frame = 0; frame < 3; frame++) {
      expect(store.lane(first + 1_000, SUMMARY, whole).length).toBe(0);
      if (frame === 0) await answered();
      await rest();
    }
    expect([asked.length, store.failure]).toEqual([1, undefined]);
  });
});

test('what there was no time for is asked for when it is drawn again', async () => {
  const { fake, asked, store, answered, rest } = setUp();
  fake.tiles = async (_traceId, wanted) => {
    asked.push(wanted);
    return ok(timelineAnswers(data).tiles(wanted, () => true));
  };
  const draw = () => [calls, ranges].map((number) => store.lane(number, SUMMARY, whole).length);
  draw();
  await answered();
  expect(draw()).toEqual([2, 0]);
  await answered();
  expect(draw()).toEqual([2, 2]);
  await rest();
  expect(asked.map(({ runs }) => runs.map(({ track }) => track))).toEqual([
    [calls, ranges],
    [ranges],
  ]);
});

describe('closed', () => {
  test('it asks for nothing more', async () => {
    const { asked, store, rest } = setUp();
    store.close();
    store.lane(calls, SUMMARY, whole);
    store.samples(samples, whole);
    store.buckets(counts);
    await rest();
    expect(asked).toEqual([]);
  });

  test('it does not ask for what was wanted, and keeps no answer that comes after', async () => {
    const { asked, store, rest, hold } = setUp();
    const release = hold();
    store.lane(calls, SUMMARY, whole);
    await rest();
    expect(asked).toHaveLength(1);
    store.close();
    release();
    await rest();
    expect(store.lane(calls, SUMMARY, whole).length).toBe(0);
    expect([asked.length, store.failure]).toEqual([1, undefined]);
    const other = setUp();
    other.store.lane(calls, SUMMARY, whole);
    other.store.close();
    await other.rest();
    expect(other.asked).toEqual([]);
  });

  test('its question ends', async () => {
    const { fake, store, rest } = setUp();
    const signals: (AbortSignal | undefined)[] = [];
    fake.tiles = (_traceId, _wanted, signal) => {
      signals.push(signal);
      return new Promise(() => undefined);
    };
    store.lane(calls, SUMMARY, whole);
    await rest();
    store.close();
    expect(signals.map((signal) => signal?.aborted)).toEqual([true]);
  });
});

describe('of very much', () => {
  test('no more is asked at once than one question holds; the rest comes after it', async () => {
    const { fake, asked, store, answered } = setUp();
    const one: Omit<ToldLane, 'track'> = { part: SUMMARY, meanNs: 0, tiles: [], names: [] };
    fake.tiles = async (_traceId, wanted) => {
      asked.push(wanted);
      const lanes = wanted.runs.map(({ track }) => ({ ...one, track }));
      return ok({ lanes, lines: [], buckets: [], isCut: false });
    };
    // 62 tiles of each lane: too many of them long before there are too many runs.
    const wide = { startNs: 0, endNs: lengthNs, nsPerPixel: 32 };
    for (let track = 0; track < 80; track++) store.lane(track, SUMMARY, wide);
    await answered();
    for (let track = 0; track < 2 * MOST_RUNS; track++) store.lane(track, SUMMARY, whole);
    await answered();
    expect(asked).toHaveLength(2);
    for (const { runs } of asked) {
      expect(runs.length).toBeLessThanOrEqual(MOST_RUNS);
      expect(runs.reduce((sum, { count }) => sum + count, 0)).toBeLessThanOrEqual(MOST_TILES);
    }
    expect(asked[0]?.runs.length).toBeGreaterThan(120);
    expect(asked[1]?.runs.length).toBe(MOST_RUNS);
  });

  test('what was not looked at for longest is let go of first', async () => {
    const { fake, asked, store, answered } = setUp();
    const few = { startNs: Float64Array.of(1), durationNs: Float64Array.of(1) };
    const event = { ...few, colours: new Uint8Array(1), kinds: new Uint32Array(1) };
    // As large as all that is kept.
    const huge = { ...event, rows: new Uint32Array(2_700_000) };
    fake.tiles = async (_traceId, wanted) => {
      asked.push(wanted);
      const buckets = {
        longest: new Int32Array(512).fill(-1),
        started: new Uint32Array(512),
        busyNs: new Float64Array(512),
      };
      const lanes = [...Map.groupBy(wanted.runs, ({ track }) => track)].map(([track, runs]) => ({
        ...{ track, part: SUMMARY, meanNs: 0, names: [] },
        tiles: runs.map(({ level, first }) => ({
          ...{ level, index: first, buckets },
          events: track === 0 && level < 11 ? huge : { ...event, rows: new Uint32Array(1) },
        })),
      }));
      return ok({ lanes, lines: [], buckets: [], isCut: false });
    };
    const runsOf = (at: number) => asked[at]?.runs.map(({ track, level }) => `${track}.${level}`);
    const one = { startNs: 0, endNs: 4_000, nsPerPixel: 8 };
    store.lane(0, SUMMARY, one);
    await answered();
    expect(runsOf(0)).toEqual(['0.11', '0.3']);
    // The lane looked at last stays, and so does all of the trace of the other one.
    store.lane(1, SUMMARY, one);
    await answered();
    store.lane(0, SUMMARY, one);
    store.lane(1, SUMMARY, one);
    await answered();
    // Of the other one what lies beside it is asked for.
    expect(asked.map((_, at) => runsOf(at))).toEqual([
      ['0.11', '0.3'],
      ['1.11', '1.3'],
      ['0.3', '1.3'],
    ]);
  });

  test('what is neither on the screen nor near goes once nothing was drawn for a while', async () => {
    const { asked, store } = setUp();
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    try {
      const shown = async (view: LaneView) => {
        // Its tiles, those beside it, and once more when all are here.
        for (let frame = 0; frame < 5; frame++) {
          store.lane(waits, SUMMARY, view);
          await vi.advanceTimersByTimeAsync(1);
          await new Promise(setImmediate);
        }
      };
      await shown(near);
      await shown(whole);
      const before = asked.length;
      await shown(near);
      expect(asked).toHaveLength(before);
      // Drawn again and again, there is no rest.
      for (let second = 0; second < 12; second++) {
        await vi.advanceTimersByTimeAsync(1000);
        await shown(whole);
      }
      await shown(near);
      expect(asked).toHaveLength(before);
      await shown(whole);
      await vi.advanceTimersByTimeAsync(9000);
      await shown(whole);
      expect(asked).toHaveLength(before);
      await shown(near);
      expect(asked.length).toBeGreaterThan(before);
    } finally {
      vi.useRealTimers();
    }
  });
});
