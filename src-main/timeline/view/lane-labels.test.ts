import { expect, test } from 'vitest';
import { buildLane, ownEvents } from '../model/pyramid.ts';
import type { EventTrack } from '../model/track-model.ts';
import { laneLabels } from './lane-labels.ts';

/** Steps of 100 and 200 ns on a chart of one CSS pixel a ns; each character is 5 px wide. */
const lane = buildLane(
  ownEvents({
    startNs: Float64Array.of(0, 100),
    durationNs: Float64Array.of(100, 200),
    rows: Uint32Array.of(0, 1),
    colours: new Uint8Array(2),
  }),
);
const track = { nameOf: (_: unknown, index: number) => `Step ${index + 1}` } as EventTrack;
const ruler = {
  width: (text: string) => text.length * 5,
  fit: (text: string, width: number) => text.slice(0, Math.floor(width / 5)),
};
const labels = (endNs: number, edges?: readonly number[]) =>
  laneLabels(
    { window: { startNs: 0, endNs }, width: endNs, pixelRatio: 1 },
    lane,
    track,
    ruler,
    edges,
  ).map(({ text, left }) => [text, left]);

test('a step has its name and how long it took, where both have room', () => {
  expect(labels(300)).toEqual([
    ['Step 1  100 ns', 4],
    ['Step 2  200 ns', 104],
  ]);
});

test('a step at the edge of the window has its number, or nothing, but no part of a name', () => {
  expect(labels(145)[1]).toEqual(['Step 2', 104]);
  expect(labels(135)[1]).toEqual(['2', 104]);
  expect(labels(125)).toHaveLength(1);
});

test('a name stands wholly on one side of where the rest is faded, on the wider', () => {
  expect(labels(300, [130])[1]).toEqual(['Step 2  200 ns', 134]);
  expect(labels(300, [250])[1]).toEqual(['Step 2  200 ns', 104]);
  expect(labels(300, [120, 280])[1]).toEqual(['Step 2  200 ns', 124]);
  expect(labels(300, [0, 300])).toEqual(labels(300));
});
