import { expect, test } from 'vitest';
import { buildLane, ownEvents } from '../../src-main/timeline/model/pyramid.ts';
import type { EventTrack } from '../../src-main/timeline/model/track-model.ts';
import { GROUND } from '../../src-main/timeline/tiles/tile-answers.ts';
import type { TrackRow } from '../../src-main/timeline/view/layout-tracks.ts';
import { type MarkedEvent, outlineBox } from './marked-event.ts';
import { submissionCurves } from './submission-curves.ts';

const unscrolled = { top: 0, fixed: 0 };
const span = { window: { startNs: 0, endNs: 1_000 }, width: 1_000, pixelRatio: 1 };

function eventAt(y: number, startNs: number, durationNs: number): MarkedEvent {
  const lane = buildLane(
    ownEvents({
      startNs: Float64Array.of(startNs),
      durationNs: Float64Array.of(durationNs),
      rows: Uint32Array.of(0),
      colours: Uint8Array.of(0),
    }),
  );
  const track = { kind: 'events', summary: () => lane } as unknown as EventTrack;
  const row = { kind: 'track', y, laneHeight: 24, height: 32, expanded: false, track };
  return { row: row as TrackRow, lane, index: 0, line: 0 };
}

test('a line leaves the call where its work began, or where the call had ended', () => {
  const call = eventAt(100, 200, 100);
  const curves = (startNs: number) =>
    submissionCurves(span, call, [eventAt(0, startNs, 50)], unscrolled);
  // The upper edge of the call's row to the lower edge of the work's.
  expect(curves(250)).toEqual([{ fromX: 250, fromY: 104, toX: 250, toY: 28 }]);
  expect(curves(700)).toEqual([{ fromX: 300, fromY: 104, toX: 700, toY: 28 }]);
  expect(curves(100)).toEqual([{ fromX: 200, fromY: 104, toX: 100, toY: 28 }]);
});

test('work on a row below its call is reached from above; the rows may be scrolled', () => {
  const [curve] = submissionCurves(span, eventAt(0, 0, 10), [eventAt(100, 5, 10)], {
    top: 40,
    fixed: 0,
  });
  expect(curve).toEqual({ fromX: 5, fromY: -12, toX: 5, toY: 64 });
});

test('of thousands some are drawn; none where both ends lie beside the chart', () => {
  const call = eventAt(0, 0, 10);
  const many = Array.from({ length: 3_000 }, (_, at) => eventAt(100, at, 1));
  expect(submissionCurves(span, call, many, unscrolled).length).toBeLessThan(50);
  const early = { ...span, window: { startNs: 500, endNs: 1_000 } };
  expect(submissionCurves(early, call, [eventAt(100, 20, 1)], unscrolled)).toEqual([]);
  expect(submissionCurves(early, call, [eventAt(100, 1e9, 1)], unscrolled)).toHaveLength(1);
});

test('an end that is scrolled beneath the rows that stay is at their edge', () => {
  const call = eventAt(0, 0, 10);
  const curveTo = (y: number) =>
    submissionCurves(span, call, [eventAt(y, 5, 10)], { top: 200, fixed: 50 });
  expect(curveTo(100)).toEqual([{ fromX: 5, fromY: 28, toX: 5, toY: 50 }]);
  expect(curveTo(300)).toEqual([{ fromX: 5, fromY: 28, toX: 5, toY: 104 }]);
});

test('an event is outlined on its line where its row shows all of them, else on the one of all', () => {
  const event = eventAt(100, 200, 100);
  const row = { ...event.row, expanded: true };
  const yOf = (marked: MarkedEvent) => outlineBox(span, marked, unscrolled).y;
  expect(yOf({ ...event, line: 2 })).toBe(yOf(event));
  expect(yOf({ ...event, row, line: 0 })).toBe(yOf(event));
  expect(yOf({ ...event, row, line: 2 })).toBe(yOf(event) + 2 * 25);
  // What is drawn beneath the lines is beneath the first.
  expect(yOf({ ...event, row, line: GROUND })).toBe(yOf(event));
});
