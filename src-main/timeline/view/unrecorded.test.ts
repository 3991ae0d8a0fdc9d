import { expect, test } from 'vitest';
import { buildLane, ownEvents } from '../model/pyramid.ts';
import type { EventTrack } from '../model/track-model.ts';
import { unrecordedStretches } from './unrecorded.ts';

/** Who ran on a CPU, from 200 to 300 ns and from 310 to 320. */
const lane = buildLane(
  ownEvents({
    startNs: Float64Array.of(200, 310),
    durationNs: Float64Array.of(100, 10),
    rows: Uint32Array.of(0, 1),
    colours: new Uint8Array(2),
  }),
);

const track: EventTrack = {
  ...{ id: 'on_cpu:0', kind: 'events', label: 'CPU 0', detail: '', badge: '', provenance: '' },
  expandable: false,
  summary: () => lane,
  lanes: () => [lane],
  nameOf: () => '',
  kinds: () => undefined,
  kindOf: () => 0,
  kindName: () => '',
};
const partial = { ...track, between: 'not recorded here' };

/** A pixel a nanosecond. */
const span = (startNs: number, endNs: number) => ({
  ...{ window: { startNs, endNs }, width: endNs - startNs, pixelRatio: 1 },
});

test('where a track is recorded only at times, an empty stretch with room for it says so', () => {
  expect(unrecordedStretches(partial, span(0, 500))).toEqual([
    { startNs: 0, endNs: 200, text: 'not recorded here' },
    { startNs: 320, endNs: 500, text: 'not recorded here' },
  ]);
  expect(unrecordedStretches(partial, span(250, 400))).toEqual([]);
  expect(unrecordedStretches(partial, span(330, 450))).toEqual([
    { startNs: 330, endNs: 450, text: 'not recorded here' },
  ]);
});

test('an idle CPU whose slices are all there says nothing', () => {
  expect(unrecordedStretches(track, span(0, 500))).toEqual([]);
});

test('nothing is said before all events of the view are here', () => {
  const buckets = {
    ...{ startNs: 0, bucketNs: 500, longest: Int32Array.of(-1), started: Uint32Array.of(0) },
    busyNs: Float64Array.of(0),
  };
  const unknown = { ...lane, buckets };
  expect(unrecordedStretches({ ...partial, summary: () => unknown }, span(0, 500))).toEqual([]);
});
