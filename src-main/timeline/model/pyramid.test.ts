import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { durationsOf, startsOf } from '../testing/lane-times.ts';
import {
  buildLane,
  type EventLane,
  firstEndingAt,
  firstStartingAt,
  latestEndBefore,
  longestBetween,
  openAt,
  ownEvents,
  summarizePixels,
  summarizeStretch,
  visitLongEvents,
} from './pyramid.ts';

interface Span {
  readonly start: number;
  readonly duration: number;
}

function laneOf(spans: readonly Span[]): EventLane {
  const sorted = [...spans].sort((a, b) => a.start - b.start);
  return buildLane(
    ownEvents({
      startNs: Float64Array.from(sorted, (span) => span.start),
      durationNs: Float64Array.from(sorted, (span) => span.duration),
      rows: Uint32Array.from(sorted.keys()),
      colours: new Uint8Array(sorted.length),
    }),
  );
}

const spanArbitrary = fc.record({
  start: fc.integer({ min: 0, max: 2_000 }),
  duration: fc.oneof(fc.integer({ min: 0, max: 20 }), fc.integer({ min: 0, max: 1_500 })),
});
const anySpansArbitrary = fc.array(spanArbitrary, { maxLength: 700, size: 'max' });

/** The same, each as long as it has to be for none to end before one that starts earlier: overlaps, and ends that are equal. */
function endingInOrder(spans: readonly Span[]): Span[] {
  let latest = Number.NEGATIVE_INFINITY;
  return [...spans]
    .sort((a, b) => a.start - b.start)
    .map(({ start, duration }) => {
      latest = Math.max(latest, start + (duration % 30));
      return { start, duration: latest - start };
    });
}

const spansArbitrary = fc.oneof(anySpansArbitrary, anySpansArbitrary.map(endingInOrder));
const windowArbitrary = fc.record({
  start: fc.integer({ min: -50, max: 2_100 }),
  length: fc.integer({ min: 1, max: 2_000 }),
});

const endOf = (lane: EventLane, index: number) =>
  lane.times.startNs(index) + lane.times.durationNs(index);

/** Time in [from, to) covered by at least one event, one ns at a time. */
function naiveBusy(lane: EventLane, from: number, to: number): number {
  let busy = 0;
  for (let ns = from; ns < to; ns++) {
    const covered = startsOf(lane).some((start, index) => start <= ns && endOf(lane, index) > ns);
    if (covered) busy++;
  }
  return busy;
}

function naiveLongest(lane: EventLane, from: number, to: number): number {
  const openEnds = [...startsOf(lane).keys()].filter(
    (index) => lane.times.startNs(index) < from && endOf(lane, index) > from,
  );
  const latest = Math.max(...openEnds.map((index) => endOf(lane, index)));
  const open = openEnds.find((index) => endOf(lane, index) === latest);
  const inside = [...startsOf(lane).keys()].filter((index) => {
    const start = lane.times.startNs(index);
    return start >= from && start < to;
  });
  const candidates = open === undefined ? inside : [open, ...inside];
  return Math.max(-1, ...candidates.map((index) => lane.times.durationNs(index)));
}

test('when events end by then, and which is the first that ends later, is as for all one by one', () => {
  fc.assert(
    fc.property(spansArbitrary, fc.integer({ min: -50, max: 3_600 }), (spans, ns) => {
      const lane = laneOf(spans);
      let latest = Number.NEGATIVE_INFINITY;
      let first = lane.length;
      for (let index = 0; index < lane.length; index++) {
        expect(latestEndBefore(lane, index)).toBe(latest);
        latest = Math.max(latest, endOf(lane, index));
        if (latest >= ns) first = Math.min(first, index);
      }
      expect(latestEndBefore(lane, lane.length)).toBe(latest);
      expect(firstEndingAt(lane, ns)).toBe(first);
    }),
  );
});

describe('pyramid', () => {
  test('range maxima equal a scan', () => {
    fc.assert(
      fc.property(spansArbitrary, fc.nat(700), fc.nat(700), (spans, a, b) => {
        const lane = laneOf(spans);
        const from = Math.min(a, b, lane.length);
        const to = Math.min(Math.max(a, b), lane.length);
        const found = longestBetween(lane, from, to);
        if (from >= to) return found === -1;
        const longest = durationsOf(lane)
          .subarray(from, to)
          .reduce((x, y) => Math.max(x, y), 0);
        return found >= from && found < to && lane.times.durationNs(found) === longest;
      }),
    );
  });

  test('a stretch has the longest event, the count and the exact busy time of a scan', () => {
    fc.assert(
      fc.property(
        fc.array(spanArbitrary, { maxLength: 60 }),
        fc.integer({ min: -50, max: 2_100 }),
        fc.integer({ min: 1, max: 120 }),
        (spans, start, length) => {
          const lane = laneOf(spans);
          const summary = summarizeStretch(lane, start, start + length);
          const longest = summary.longest < 0 ? -1 : lane.times.durationNs(summary.longest);
          expect(longest).toBe(naiveLongest(lane, start, start + length));
          expect(summary.busyNs).toBe(naiveBusy(lane, start, start + length));
        },
      ),
      { numRuns: 60 },
    );
  });

  test('of several open ones that end together the longest is told of', () => {
    const lane = laneOf([
      { start: 402, duration: 1014 },
      { start: 74, duration: 1342 },
    ]);
    const { longest } = summarizeStretch(lane, 403, 404);
    expect(lane.times.durationNs(longest)).toBe(1342);
  });

  test('pixels in a row say the same as single stretches', () => {
    fc.assert(
      fc.property(spansArbitrary, windowArbitrary, fc.integer({ min: 1, max: 90 }), (s, w, n) => {
        const lane = laneOf(s);
        const out = {
          longest: new Int32Array(n),
          counts: new Uint32Array(n),
          busyNs: new Float64Array(n),
        };
        summarizePixels(lane, w.start, w.length, n, out);
        for (let pixel = 0; pixel < n; pixel++) {
          const from = w.start + pixel * w.length;
          const expected = summarizeStretch(lane, from, from + w.length);
          expect(out.longest[pixel]).toBe(expected.longest);
          expect(out.counts[pixel]).toBe(expected.count);
          expect(out.busyNs[pixel]).toBe(expected.busyNs);
        }
      }),
    );
  });

  test('long events are found in order, none missed, none short', () => {
    fc.assert(
      fc.property(spansArbitrary, fc.nat(1_500), fc.nat(700), (spans, minimum, from) => {
        const lane = laneOf(spans);
        const found: number[] = [];
        visitLongEvents(lane, from, lane.length, minimum, (index) => found.push(index));
        const expected = [...durationsOf(lane).keys()].filter(
          (index) => index >= from && lane.times.durationNs(index) >= minimum,
        );
        expect(found).toEqual(expected);
      }),
    );
  });

  test('an empty lane answers with nothing', () => {
    const lane = laneOf([]);
    expect(summarizeStretch(lane, 0, 10)).toEqual({ longest: -1, count: 0, busyNs: 0 });
    expect(firstStartingAt(lane, 5)).toBe(0);
    expect(openAt(lane, 5, 0)).toBe(-1);
  });
});

test.each([
  ['end in order', -1],
  ['do so until late', 9_000],
  ['do so from the first on not', 1],
])(
  'of a lane of many thousand events that %s the union, ends and longest are as one by one',
  (_, late) => {
    const length = 131_072 + 4_096 + 32;
    const spans = Array.from({ length }, (_, at) => ({ start: 10 * at, duration: 5 + (at % 7) }));
    // Over a hundred others, which end before it.
    if (late >= 0) spans[late] = { start: 10 * late, duration: 1_000 };
    const lane = laneOf(spans);
    let latest = Number.NEGATIVE_INFINITY;
    let covered = 0;
    spans.forEach(({ start, duration }, index) => {
      if (index % 32 === 0) {
        expect(latestEndBefore(lane, index)).toBe(latest);
        expect(lane.blockCoveredNs[index / 32]).toBe(covered);
      }
      const end = start + duration;
      covered += Math.max(0, end - Math.max(start, latest));
      latest = Math.max(latest, end);
    });
    expect(lane.blockCoveredNs.at(-1)).toBe(covered);
    expect(lane.blockLatestNs === undefined).toBe(late < 0);
    expect(lane.meanNs).toBe(spans.reduce((sum, { duration }) => sum + duration, 0) / length);
    const longestNs = (from: number, to: number) =>
      lane.times.durationNs(longestBetween(lane, from, to));
    expect(longestNs(0, length)).toBe(late < 0 ? 11 : 1_000);
    expect(longestNs(4_090, 4_110)).toBe(11);
  },
);
