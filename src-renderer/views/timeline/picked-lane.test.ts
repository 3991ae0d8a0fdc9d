import { expect, test } from 'vitest';
import { buildLane, ownEvents } from '../../../src-main/timeline/model/pyramid.ts';
import type { EventTrack } from '../../../src-main/timeline/model/track-model.ts';
import { SUMMARY } from '../../../src-main/timeline/tiles/tile-answers.ts';
import type { TrackRow } from '../../../src-main/timeline/view/layout-tracks.ts';
import { parseFilter } from '../../../src-main/timeline/view/track-filter.ts';
import { pickedLane } from './picked-lane.ts';

const lane = buildLane(
  ownEvents({
    startNs: Float64Array.of(1, 2, 3),
    durationNs: Float64Array.of(5, 50, 500),
    rows: Uint32Array.of(0, 1, 2),
    colours: new Uint8Array(3),
  }),
);
const view = { startNs: 0, endNs: 9, nsPerPixel: 1 };
const track = {
  ...{ id: 'x', kind: 'events', label: '', detail: '', badge: '', provenance: '' },
  ...{ expandable: true, summary: () => lane, lanes: () => [lane, lane] },
  ...{ nameOf: () => 'copy', kindOf: () => 0, kindName: () => 'copy' },
  kinds: () => new Map([[0, 500]]),
} as EventTrack;
const rowOf = (own: object, expanded: boolean) =>
  ({ kind: 'track', track: { ...track, ...own }, expanded }) as TrackRow;

test('where the page has a lane whole it picks its events itself', () => {
  const picked = pickedLane(parseFilter('dur>10ns'), 'dur>10ns');
  for (const expanded of [false, true])
    expect([...picked(rowOf({}, expanded), 0, view).rows]).toEqual([1, 2]);
  // A line that is not there any more.
  expect(picked(rowOf({}, false), 1, view).length).toBe(0);
  expect(picked(rowOf({ kind: 'line' }, false), 0, view).length).toBe(0);
});

test('else they are asked for, of the line that is drawn', () => {
  const asked: unknown[] = [];
  const told = (...args: unknown[]) => {
    asked.push(args);
    return lane;
  };
  const picked = pickedLane(parseFilter('name:copy'), 'name:copy');
  expect(picked(rowOf({ picked: told }, false), 0, view)).toBe(lane);
  picked(rowOf({ picked: told }, true), 1, view);
  expect(asked).toEqual([
    ['name:copy', SUMMARY, view],
    ['name:copy', 1, view],
  ]);
});
