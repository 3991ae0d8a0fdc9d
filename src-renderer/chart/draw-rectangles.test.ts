import fc from 'fast-check';
import { expect, test } from 'vitest';
import { FIRST_STATE_COLOUR, stateSwatches } from '../../src-main/timeline/model/colours.ts';
import { buildLane } from '../../src-main/timeline/model/pyramid.ts';
import { colourBatches, type LaneRectangle } from '../../src-main/timeline/view/lane-rectangles.ts';
import { drawRectangles } from './draw-rectangles.ts';
import type { Frame } from './surface.ts';

const WIDTH = 900;
const box = { y: 2, height: 9 };
const NAMES = 3;
const colours = [...Array(NAMES).keys(), ...stateSwatches.map((_, at) => FIRST_STATE_COLOUR + at)];
/** Of the palette, as a colour of the canvas and as a pixel. */
const packed = Uint32Array.from({ length: 32 }, (_, colour) => 0x010000 * (colour + 1) + 0x77);
const fills = Array.from(packed, (pixel) => (0xff000000 | pixel) >>> 0);
/** Patterns are told apart from colours by not being text. */
const patterns = fills.map((fill, colour) => {
  const pattern = stateSwatches[colour - FIRST_STATE_COLOUR]?.pattern;
  return pattern === 'slashes' || pattern === 'dots' ? { pattern: fill + 1 } : String(fill);
});

/** A canvas as far as rectangles need one, by pixel; it counts its calls. */
function fakeFrame() {
  const shown = new Uint32Array(WIDTH * 20);
  const pixels = new Uint32Array(2 * WIDTH);
  let put = pixels.slice();
  const calls = { fillRect: 0 };
  const paint = (x: number, y: number, width: number, height: number, pixel: number) => {
    for (let row = y; row < y + height; row++)
      for (let at = Math.max(0, x); at < Math.min(WIDTH, x + width); at++)
        shown[row * WIDTH + at] = pixel;
  };
  const context = {
    fillStyle: undefined as unknown,
    fillRect(x: number, y: number, width: number, height: number) {
      calls.fillRect++;
      const fill = this.fillStyle as string | { pattern: number };
      paint(x, y, width, height, typeof fill === 'string' ? Number(fill) : fill.pattern);
    },
    strokeRect: (x: number, y: number, width: number, height: number) =>
      paint(x - 0.5, y - 0.5, width + 1, height + 1, 9),
    drawImage(...[, , row, , , , y, , height]: [unknown, ...number[]]) {
      for (let at = 0; at < WIDTH; at++) {
        const pixel = put[(row ?? 0) * WIDTH + at] ?? 0;
        if (pixel !== 0) paint(at, y ?? 0, 1, height ?? 0, pixel);
      }
    },
  };
  const putImageData = () => {
    put = pixels.slice();
  };
  const frame = {
    context,
    ...{ width: WIDTH, pixelRatio: 1 },
    theme: { fills: fills.map(String), packed, muted: '9' },
    paint: { fills: patterns },
    strip: { pixels, width: WIDTH, context: { canvas: undefined, putImageData } },
  } as unknown as Frame;
  return { frame, shown, calls, context };
}

/** Rectangles beside each other, of which those of a pixel may share it. */
const rows = fc
  .array(fc.tuple(fc.integer({ min: 0, max: 9 }), fc.constantFrom(...colours)), {
    minLength: 150,
    maxLength: 400,
    size: 'max',
  })
  .map((all) => {
    let x = -4;
    const rectangles = all.map(([room, colour], index): LaneRectangle & { colour: number } => {
      const rectangle = { index, x, width: Math.max(1, room > 4 ? room - 1 : room), colour };
      x += room;
      return rectangle;
    });
    const times = new Float64Array(all.length);
    const lane = buildLane({
      startNs: times,
      durationNs: times,
      rows: new Uint32Array(all.length),
      colours: Uint8Array.from(rectangles, ({ colour }) => colour),
    });
    return { lane, rectangles };
  });

test('many rectangles are drawn as rows of pixels, the same as one by one', () => {
  fc.assert(
    fc.property(rows, ({ lane, rectangles }) => {
      const drawn = fakeFrame();
      drawRectangles(drawn.frame, lane, rectangles, box);
      const expected = fakeFrame();
      for (const [, batch] of colourBatches(lane, rectangles))
        for (const rectangle of batch) drawRectangles(expected.frame, lane, [rectangle], box);
      expect(drawn.shown).toEqual(expected.shown);
      expect(drawn.calls.fillRect).toBeLessThan(rectangles.length);
    }),
    { numRuns: 40, endOnFailure: true },
  );
});

test('between device pixels, and where there are few, each is drawn by itself', () => {
  const rectangles = Array.from({ length: 200 }, (_, index) => ({ index, x: 3 * index, width: 2 }));
  const times = new Float64Array(200);
  const lane = buildLane({
    startNs: times,
    durationNs: times,
    rows: new Uint32Array(200),
    colours: new Uint8Array(200),
  });
  const count = (change: Partial<Frame>, many: readonly LaneRectangle[], height = 9) => {
    const { frame, calls } = fakeFrame();
    drawRectangles({ ...frame, ...change }, lane, many, { y: 2, height });
    return calls.fillRect;
  };
  expect(count({}, rectangles)).toBe(0);
  expect(count({}, rectangles.slice(0, 20))).toBe(20);
  expect(count({ pixelRatio: 1.25 }, rectangles)).toBe(200);
  expect(count({ width: WIDTH - 0.5 }, rectangles)).toBe(200);
  expect(count({}, rectangles, 8.5)).toBe(200);
});
