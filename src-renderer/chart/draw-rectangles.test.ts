import fc from 'fast-check';
import { expect, test } from 'vitest';
import { FIRST_STATE_COLOUR, stateSwatches } from '../../src-main/timeline/model/colours.ts';
import {
  buildLane,
  type EventLane,
  ownEvents,
  pixelSummaries,
  summarizePixels,
} from '../../src-main/timeline/model/pyramid.ts';
import type { Box } from '../../src-main/timeline/view/chart-span.ts';
import { drawEvents, planEvents } from './draw-rectangles.ts';
import { drawStrip } from './draw-strip.ts';
import { type PatternTile, StripSheet } from './strip-sheet.ts';
import type { Frame } from './surface.ts';

const WIDTH = 900;
const HEIGHT = 40;
const box = { y: 2, height: 21 };
const NAMES = 3;
const colours = [...Array(NAMES).keys(), ...stateSwatches.map((_, at) => FIRST_STATE_COLOUR + at)];
/** Of the palette, as a colour of the canvas and as a pixel. */
const packed = Uint32Array.from({ length: 32 }, (_, colour) => 0x010000 * (colour + 1) + 0x77);
const fills = Array.from(packed, (pixel) => (0xff000000 | pixel) >>> 0);
const SIZE = 8;
/** Each pixel of a pattern is another one. */
const tiles = fills.map((fill, colour): PatternTile | undefined => {
  const pattern = stateSwatches[colour - FIRST_STATE_COLOUR]?.pattern;
  if (pattern !== 'slashes' && pattern !== 'dots') return undefined;
  return { size: SIZE, pixels: Uint32Array.from({ length: SIZE * SIZE }, (_, at) => fill + at) };
});

/** The sheet's canvas: what was put on it. */
function fakeSheet() {
  let put = new Uint32Array();
  const context = {
    canvas: {},
    createImageData: (width: number, height: number) => ({
      data: new Uint8ClampedArray(width * height * 4),
    }),
    putImageData: ({ data }: ImageData) => {
      put = new Uint32Array(data.slice().buffer);
    },
  };
  const canvas = { getContext: () => context } as unknown as HTMLCanvasElement;
  return { strip: new StripSheet(WIDTH, canvas), pixelAt: (at: number) => put[at] ?? 0 };
}

/** A canvas as far as events need one, by pixel; it counts its calls. */
function fakeFrame() {
  const shown = new Uint32Array(WIDTH * HEIGHT);
  const { strip, pixelAt } = fakeSheet();
  const calls = { fillRect: 0 };
  const paint = (
    [x, y, width, height]: readonly [number, number, number, number],
    pixelOf: (x: number, y: number) => number,
  ) => {
    for (let row = y; row < y + height; row++)
      for (let at = Math.max(0, x); at < Math.min(WIDTH, x + width); at++) {
        const pixel = pixelOf(at, row);
        if (pixel !== 0) shown[row * WIDTH + at] = pixel;
      }
  };
  const context = {
    fillStyle: undefined as unknown,
    fillRect(...at: [number, number, number, number]) {
      calls.fillRect++;
      const fill = this.fillStyle as string | PatternTile;
      paint(at, (x, y) =>
        typeof fill === 'string'
          ? Number(fill)
          : (fill.pixels[(y % SIZE) * SIZE + (x % SIZE)] ?? 0),
      );
    },
    strokeRect: (x: number, y: number, width: number, height: number) =>
      paint([x - 0.5, y - 0.5, width + 1, height + 1], () => 9),
    drawImage(...args: [unknown, ...number[]]) {
      const [, , row = 0, , rows = 0, x = 0, y = 0, width = 0, height = 0] = args;
      expect(rows === 1 || rows === height).toBe(true);
      const rowOf = (at: number) => (rows === 1 ? row : row + at - y);
      paint([x, y, width, height], (column, at) => pixelAt(rowOf(at) * WIDTH + column));
    },
  };
  const frame = {
    ...{ context, strip, width: WIDTH, pixelRatio: 1, window: { startNs: 0, endNs: WIDTH } },
    theme: { fills: fills.map(String), packed, muted: '9' },
    paint: { fills: fills.map((fill, colour) => tiles[colour] ?? String(fill)), tiles },
  } as unknown as Frame;
  return { frame, shown, calls };
}

function draw(frame: Frame, lane: EventLane, at: Box = box) {
  const parts = planEvents(frame, lane, false, at);
  frame.strip.put();
  drawEvents(frame, parts, at);
}

interface Event {
  readonly startNs: number;
  readonly durationNs: number;
  readonly colour: number;
}

function laneOf(events: readonly Event[]): EventLane {
  return buildLane(
    ownEvents({
      startNs: Float64Array.from(events, ({ startNs }) => startNs),
      durationNs: Float64Array.from(events, ({ durationNs }) => durationNs),
      rows: Uint32Array.from(events.keys()),
      colours: Uint8Array.from(events, ({ colour }) => colour),
    }),
  );
}

/** Draws a lane's events one by one: so few are no rows of pixels. */
function drawEach(frame: Frame, { meanNs }: EventLane, events: readonly Event[], at: Box = box) {
  for (const event of events) draw(frame, { ...laneOf([event]), meanNs }, at);
}

/** Events behind each other, a pixel a ns; those without length may share one. */
const rows = fc
  .array(fc.tuple(fc.integer({ min: 0, max: 9 }), fc.constantFrom(...colours)), {
    minLength: 150,
    maxLength: 400,
    size: 'max',
  })
  .map((all) => {
    let endNs = -4;
    return all.map(([durationNs, colour]): Event => {
      endNs += durationNs;
      return { startNs: endNs - durationNs, durationNs, colour };
    });
  });

/** Of one pixel each, every third has nothing. */
const bucketsOf = (events: number) => ({
  ...{ startNs: 0, bucketNs: 1 },
  longest: Int32Array.from({ length: WIDTH }, (_, at) => (at % 3 === 0 ? -1 : at % events)),
  started: new Uint32Array(WIDTH),
  busyNs: new Float64Array(WIDTH),
});

test('many rectangles are drawn as rows of pixels, the same as one by one', () => {
  fc.assert(
    fc.property(rows, fc.integer({ min: -9, max: 9 }), fc.boolean(), (events, y, isDense) => {
      const at = { y, height: 21 };
      const lane = laneOf(events);
      const dense = { ...lane, buckets: bucketsOf(lane.length) };
      const drawn = fakeFrame();
      draw(drawn.frame, isDense ? dense : lane, at);
      const expected = fakeFrame();
      if (isDense) drawStrip(expected.frame, dense, at);
      const isDrawn = ({ durationNs }: Event) => !isDense || durationNs >= 3;
      drawEach(expected.frame, lane, events.filter(isDrawn), at);
      expect(drawn.shown).toEqual(expected.shown);
      expect(drawn.calls.fillRect).toBeLessThan(events.length);
    }),
    { numRuns: 40, endOnFailure: true },
  );
});

/** Events behind each other, so long and so far apart in ns, of which those of a bucket may be known by the longest only. */
const eventsInARow = fc
  .tuple(
    fc.array(
      fc.tuple(
        fc.integer({ min: 0, max: 90 }),
        fc.integer({ min: 0, max: 20 }),
        fc.constantFrom(...colours),
      ),
      { minLength: 300, maxLength: 700, size: 'max' },
    ),
    fc.boolean(),
  )
  .map(([all, isOfBuckets]) => {
    let endNs = 0;
    const lane = laneOf(
      all.map(([durationNs, gapNs, colour]) => {
        endNs += durationNs + gapNs;
        return { startNs: endNs - durationNs, durationNs, colour };
      }),
    );
    if (!isOfBuckets) return { lane, endNs };
    const bucketNs = 4;
    const count = Math.ceil(endNs / bucketNs);
    const buckets = { ...pixelSummaries(count), started: new Uint32Array(count), bucketNs };
    summarizePixels(lane, 0, bucketNs, count, buckets);
    buckets.started.set(buckets.counts);
    return { lane: { ...lane, buckets: { ...buckets, startNs: 0 } }, endNs };
  });

test('where the view has moved by whole pixels, the same is drawn as where all is painted', () => {
  const moves = fc.array(fc.integer({ min: -300, max: 300 }), { minLength: 1, maxLength: 8 });
  const scale = fc.constantFrom(4, 5, 8, 32);
  fc.assert(
    fc.property(eventsInARow, moves, scale, ({ lane, endNs }, byPixels, nsPerPixel) => {
      const moved = fakeFrame();
      let startNs = Math.round(endNs / 3);
      for (const by of [0, 0, ...byPixels]) {
        startNs += by * nsPerPixel;
        const window = { startNs, endNs: startNs + WIDTH * nsPerPixel };
        const expected = fakeFrame();
        moved.shown.fill(0);
        for (const { frame } of [moved, expected]) {
          const at = { ...frame, window };
          draw(at, lane);
        }
        expect(moved.shown).toEqual(expected.shown);
      }
    }),
    { numRuns: 40, endOnFailure: true },
  );
});

test('lanes share a sheet that grows with them', () => {
  const { frame, shown } = fakeFrame();
  const eventsOf = (colour: number) =>
    Array.from({ length: 100 }, (_, at) => ({ startNs: 9 * at, durationNs: 9, colour }));
  const events = colours.map(eventsOf);
  const lanes = events.map(laneOf);
  const planned = lanes.map((lane) => planEvents(frame, lane, false, box));
  frame.strip.put();
  const alone = fakeFrame();
  planned.forEach((parts, at) => {
    drawEvents(frame, parts, box);
    drawEach(alone.frame, lanes[at] as EventLane, events[at] ?? []);
    expect(shown).toEqual(alone.shown);
  });
});

test('between device pixels, and where there are few, each is drawn by itself', () => {
  const count = (change: Partial<Frame>, events: number, height = 9) => {
    const lane = laneOf(
      Array.from({ length: events }, (_, at) => ({ startNs: 3 * at, durationNs: 2, colour: 0 })),
    );
    const { frame, calls } = fakeFrame();
    draw({ ...frame, ...change }, lane, { y: 2, height });
    return calls.fillRect;
  };
  expect(count({}, 200)).toBe(0);
  expect(count({}, 20)).toBe(20);
  expect(count({ pixelRatio: 1.25 }, 200)).toBe(200);
  expect(count({ width: WIDTH - 0.5 }, 200)).toBe(200);
  expect(count({}, 200, 8.5)).toBe(200);
});
