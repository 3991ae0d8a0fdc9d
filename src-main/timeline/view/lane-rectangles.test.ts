import fc from 'fast-check';
import { expect, test } from 'vitest';
import { buildLane, ownEvents, pixelSummaries } from '../model/pyramid.ts';
import { type LaneRectangle, visibleRectangles, wideRectangles } from './lane-rectangles.ts';

const WIDE = 34;
const WIDTH = 300;

/** Events that begin behind each other, and may lie inside those before. */
const lanes = fc
  .tuple(
    fc.array(fc.tuple(fc.integer({ min: 0, max: 60 }), fc.integer({ min: 0, max: 400 })), {
      minLength: 1,
      maxLength: 400,
      size: 'max',
    }),
    fc.boolean(),
  )
  .map(([all, isOfBuckets]) => {
    let startNs = 0;
    const starts = Float64Array.from(all, ([gapNs]) => (startNs += gapNs));
    const lane = buildLane(
      ownEvents({
        startNs: starts,
        durationNs: Float64Array.from(all, ([, durationNs]) => durationNs),
        rows: Uint32Array.from(starts.keys()),
        colours: new Uint8Array(starts.length),
      }),
    );
    const { longest, busyNs } = pixelSummaries(1);
    const buckets = { startNs: 0, bucketNs: 1, longest, busyNs, started: new Uint32Array(1) };
    return isOfBuckets ? { ...lane, buckets } : lane;
  });

/** Those that may have a name, with where it has to end: where the next one begins, if that lies inside it. */
const namesOf = (rectangles: readonly LaneRectangle[]) =>
  rectangles.flatMap((rectangle, at) => {
    const { x, width } = rectangle;
    if (width < WIDE) return [];
    const next = rectangles[at + 1]?.x ?? Number.POSITIVE_INFINITY;
    return [{ ...rectangle, room: Math.min(x + width, next) }];
  });

test('of the rectangles in view the wide ones are found, and how much room each leaves to a name', () => {
  fc.assert(
    fc.property(
      lanes,
      fc.integer({ min: -200, max: 9_000 }),
      fc.constantFrom(50, 300, 700, 4_000, 20_000),
      fc.constantFrom(1, 2),
      (lane, startNs, lengthNs, pixelRatio) => {
        const window = { startNs, endNs: startNs + lengthNs };
        const span = { window, width: WIDTH, pixelRatio };
        const wide = wideRectangles(span, lane, WIDE);
        expect(namesOf(wide)).toEqual(namesOf(visibleRectangles(span, lane, false)));
      },
    ),
  );
});
