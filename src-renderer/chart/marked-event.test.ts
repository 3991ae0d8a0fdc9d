import { expect, test } from 'vitest';
import { OwnTimes } from '../../src-main/timeline/model/event-times.ts';
import { TRACK_PADDING, type TrackRow } from '../../src-main/timeline/view/layout-tracks.ts';
import { type MarkedEvent, OUTLINE, outlineBox, shownMark } from './marked-event.ts';

const span = { window: { startNs: 0, endNs: 1000 }, width: 100, pixelRatio: 1 };

/** An event from 200 to 400 ns in a row at `y`, 20 pixels high. */
function eventAt(y: number): MarkedEvent {
  const row = { kind: 'track', y, laneHeight: 20, expanded: false } as unknown as TrackRow;
  const lane = { times: new OwnTimes(Float64Array.of(200), Float64Array.of(200)) };
  return { row, lane: lane as never, index: 0, line: 0 };
}

test('an event is marked where it is drawn', () => {
  const scroll = { top: 0, fixed: 0 };
  const box = { x: 20, y: 50 + TRACK_PADDING, width: 20, height: 20 };
  expect(outlineBox(span, eventAt(50), scroll)).toEqual(box);
  expect(shownMark(span, eventAt(50), scroll)).toEqual(box);
});

test('of an event that is scrolled beneath the rows that stay, what can be seen is marked', () => {
  const fixed = 30;
  const scrolledTo = (top: number) => shownMark(span, eventAt(50), { top, fixed });
  const bottom = (top: number) => 50 - top + TRACK_PADDING + 20;
  expect(scrolledTo(5)?.height).toBe(20);
  const part = scrolledTo(30);
  expect(part).toEqual({
    ...{ x: 20, width: 20, y: fixed + OUTLINE },
    height: bottom(30) - fixed - OUTLINE,
  });
  expect(scrolledTo(60)).toBeUndefined();
  // One of the rows that stay is not beneath them.
  expect(shownMark(span, eventAt(10), { top: 30, fixed })?.height).toBe(20);
});
