import { expect, test } from 'vitest';
import { buildLane, ownEvents } from '../../../src-main/timeline/model/pyramid.ts';
import { NO_ROW } from '../../../src-main/timeline/model/track-model.ts';
import type { TrackRow } from '../../../src-main/timeline/view/layout-tracks.ts';
import { shownColours } from './shown-colours.ts';

const laneOf = (...events: (readonly [startNs: number, durationNs: number, colour: number])[]) =>
  buildLane(
    ownEvents({
      startNs: Float64Array.from(events, ([startNs]) => startNs),
      durationNs: Float64Array.from(events, ([, durationNs]) => durationNs),
      rows: new Uint32Array(events.length).fill(NO_ROW),
      colours: Uint8Array.from(events, ([, , colour]) => colour),
    }),
  );
const states = laneOf([0, 10, 8], [10, 5, 9], [15, 85, 8], [100, 10, 12]);
const row = (track: object) => ({ expanded: false, track }) as unknown as TrackRow;
const track = { kind: 'states', summary: () => states, lanes: () => [states] };

test('are those of the events in the window, also of one that began before it', () => {
  const shown = (startNs: number, endNs: number) => [
    ...shownColours([row(track)], { startNs, endNs }),
  ];
  expect(shown(20, 90)).toEqual([8]);
  expect(shown(12, 90)).toEqual([9, 8]);
  expect(shown(12, 101)).toEqual([9, 8, 12]);
  expect(shown(110, 120)).toEqual([]);
});

test('what is drawn below the events of a row is among them; a line has none', () => {
  const ground = () => laneOf([30, 5, 7]);
  const rows = [row({ ...track, ground }), row({ kind: 'line' })];
  expect([...shownColours(rows, { startNs: 20, endNs: 90 })]).toEqual([7, 8]);
});
