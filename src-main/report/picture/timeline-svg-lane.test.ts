import fc from 'fast-check';
import { expect, test } from 'vitest';
import { stateColour } from '../../timeline/model/colours.ts';
import { buildLane, type EventLane, ownEvents } from '../../timeline/model/pyramid.ts';
import type { EventTrack } from '../../timeline/model/track-model.ts';
import { stripColumns } from '../../timeline/view/strip-columns.ts';
import { readRectangles, readTexts } from '../testing/read-svg.ts';
import { textRuler } from './picture-text.ts';
import { pictureThemes } from './picture-theme.ts';
import { type Drawing, laneSvg } from './timeline-svg-lane.ts';

const WIDTH = 400;
const BOX = { y: 4, height: 24 };
const OUTLIER_COLOUR = 7;

function drawingOf(startNs: number, endNs: number): Drawing {
  return {
    span: { window: { startNs, endNs }, width: WIDTH, pixelRatio: 1 },
    theme: pictureThemes.light,
    strip: stripColumns(WIDTH),
    ruler: textRuler(11),
    clean: (text) => text,
    used: new Set(),
  };
}

function laneOf(events: readonly (readonly [start: number, duration: number, colour: number])[]) {
  const sorted = events.toSorted(([a], [b]) => a - b);
  return buildLane(
    ownEvents({
      startNs: Float64Array.from(sorted, ([start]) => start),
      durationNs: Float64Array.from(sorted, ([, duration]) => duration),
      rows: Uint32Array.from(sorted.keys()),
      colours: Uint8Array.from(sorted, ([, , colour]) => colour),
    }),
  );
}

function trackOf(lane: EventLane, kind: EventTrack['kind'] = 'events'): EventTrack {
  return {
    id: 'track',
    kind,
    label: 'track',
    detail: '',
    badge: '',
    provenance: '',
    expandable: false,
    summary: () => lane,
    lanes: () => [lane],
    nameOf: (_, index) => `event <${index}> & "more"`,
    kinds: () => new Map(),
    kindOf: (_, index) => index,
    kindName: String,
  };
}

const colour = fc.constantFrom(
  0,
  1,
  stateColour.runnable,
  stateColour.sleeping,
  stateColour.stopped,
);
const someEvents = fc.array(
  fc.tuple(fc.nat(1_000_000), fc.oneof(fc.nat(300), fc.nat(400_000)), colour),
  { maxLength: 900 },
);
const kinds = fc.constantFrom<EventTrack['kind']>('events', 'states', 'marks');

test('every rectangle stays inside its lane and the chart', () => {
  fc.assert(
    fc.property(
      someEvents,
      fc.nat(999_000),
      fc.integer({ min: 20, max: 1e6 }),
      kinds,
      (events, from, length, kind) => {
        const lane = laneOf(events);
        const svg = laneSvg(drawingOf(from, from + length), lane, BOX, trackOf(lane, kind), true);
        readTexts(svg);
        for (const { x, y, width, height } of readRectangles(svg)) {
          expect(x).toBeGreaterThanOrEqual(0);
          expect(width).toBeGreaterThan(0);
          expect(x + width).toBeLessThanOrEqual(WIDTH + 0.01);
          expect(y).toBeGreaterThanOrEqual(BOX.y);
          expect(y + height).toBeLessThanOrEqual(BOX.y + BOX.height);
        }
      },
    ),
    { numRuns: 150 },
  );
});

test('a long event never vanishes among short ones', () => {
  const short = fc.array(fc.tuple(fc.nat(999_000), fc.nat(200), fc.constantFrom(0, 1)), {
    minLength: 600,
    maxLength: 1_500,
  });
  fc.assert(
    fc.property(short, fc.nat(990_000), (events, start) => {
      const lane = laneOf([...events, [start, 6_000, OUTLIER_COLOUR]]);
      const svg = laneSvg(drawingOf(0, 1e6), lane, BOX, trackOf(lane), true);
      const scale = WIDTH / 1e6;
      const drawn = readRectangles(svg, pictureThemes.light.fills[OUTLIER_COLOUR]).filter(
        ({ x, width }) => x < (start + 6_000) * scale + 1 && x + width > start * scale - 1,
      );
      expect(drawn.reduce((sum, { width }) => sum + width, 0)).toBeGreaterThanOrEqual(2);
    }),
    { numRuns: 60 },
  );
});

test('a lane of a million events is no larger than its pixels', () => {
  const count = 1_000_000;
  const startNs = Float64Array.from({ length: count }, (_, index) => index * 100);
  const lane = buildLane(
    ownEvents({
      startNs,
      durationNs: startNs.map((_, index) => (index * 7919) % 90),
      rows: Uint32Array.from(startNs.keys()),
      colours: Uint8Array.from(startNs.keys(), (index) => (index >> 5) % 8),
    }),
  );
  const svg = laneSvg(drawingOf(0, count * 100), lane, BOX, trackOf(lane), true);
  expect(readRectangles(svg).length).toBeLessThanOrEqual(WIDTH);
  expect(svg.length).toBeLessThan(WIDTH * 40);
});

test('a state shows its pattern where it is wide enough, a sleeping one is thin', () => {
  const lane = laneOf([
    [0, 500, stateColour.runnable],
    [500, 10, stateColour.runnable],
    [600, 300, stateColour.sleeping],
  ]);
  const svg = laneSvg(drawingOf(0, 1_000), lane, BOX, trackOf(lane, 'states'), false);
  expect(readRectangles(svg, `url(#state-${stateColour.runnable})`)).toHaveLength(1);
  expect(readRectangles(svg, pictureThemes.light.fills[stateColour.runnable])).toHaveLength(1);
  const [sleeping] = readRectangles(svg, pictureThemes.light.fills[stateColour.sleeping]);
  expect(sleeping?.height).toBe(8);
});
