import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { OwnTimes } from './event-times.ts';
import { assignLanes, splitLanes } from './lanes.ts';
import { latestEndBefore, ownEvents } from './pyramid.ts';

describe('lanes', () => {
  test('nested events land by their depth', () => {
    const { lanes, laneCount } = assignLanes(
      new OwnTimes(Float64Array.of(0, 1, 5, 20), Float64Array.of(10, 2, 3, 5)),
    );
    expect([...lanes]).toEqual([0, 1, 1, 0]);
    expect(laneCount).toBe(2);
  });

  test('no two events of a lane overlap, and none is lost', () => {
    const span = fc.tuple(fc.integer({ min: 0, max: 500 }), fc.integer({ min: 0, max: 40 }));
    fc.assert(
      fc.property(fc.array(span, { maxLength: 200 }), (unsorted) => {
        const spans = [...unsorted].sort((a, b) => a[0] - b[0] || b[1] - a[1]);
        const lanes = splitLanes(
          ownEvents({
            startNs: Float64Array.from(spans, ([start]) => start),
            durationNs: Float64Array.from(spans, ([, duration]) => duration),
            rows: Uint32Array.from(spans.keys()),
            colours: new Uint8Array(spans.length),
          }),
          undefined,
          255,
        );
        expect(lanes.reduce((sum, lane) => sum + lane.length, 0)).toBe(spans.length);
        for (const lane of lanes)
          for (let index = 1; index < lane.length; index++)
            expect(latestEndBefore(lane, index)).toBeLessThanOrEqual(lane.times.startNs(index));
      }),
    );
  });

  test('beyond the cap events share the last lane', () => {
    const { lanes, laneCount } = assignLanes(
      new OwnTimes(Float64Array.of(0, 1, 2), Float64Array.of(9, 9, 9)),
      2,
    );
    expect([...lanes]).toEqual([0, 1, 1]);
    expect(laneCount).toBe(2);
  });
});
