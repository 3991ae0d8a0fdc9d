import fc from 'fast-check';
import { expect, test } from 'vitest';
import { buildLane, ownEvents } from '../model/pyramid.ts';
import { densityBars } from './density-bars.ts';

const WIDTH = 40;
const BOX = { y: 3, height: 20 };

function laneOf(lengths: readonly number[], colour: number, isOn: (at: number) => boolean) {
  const starts = lengths.map((_, at) => lengths.slice(0, at).reduce((sum, one) => sum + one, 0));
  const own = [...lengths.keys()].filter(isOn);
  return buildLane(
    ownEvents({
      startNs: Float64Array.from(own, (at) => starts[at] ?? 0),
      durationNs: Float64Array.from(own, (at) => lengths[at] ?? 0),
      rows: Uint32Array.from(own),
      colours: new Uint8Array(own.length).fill(colour),
    }),
  );
}

test('each column is as full as its time was, and no part of it is drawn twice', () => {
  const someLengths = fc.array(fc.integer({ min: 1, max: 900 }), { minLength: 3, maxLength: 200 });
  fc.assert(
    fc.property(someLengths, fc.integer({ min: 500, max: 20_000 }), (lengths, endNs) => {
      const lanes = [0, 1].map((colour) => laneOf(lengths, colour, (at) => at % 3 === colour));
      const span = { window: { startNs: 0, endNs }, width: WIDTH, pixelRatio: 1 };
      const bars = densityBars(span, lanes, BOX);
      const wholeNs = lengths.reduce((sum, one) => sum + one, 0);
      for (let column = 0; column < WIDTH; column++) {
        const own = bars.filter(({ x, width }) => x <= column && column < x + width);
        expect(own.length).toBeLessThanOrEqual(2);
        const [first, second] = own;
        if (first !== undefined) expect(first.y + first.height).toBe(BOX.y + BOX.height);
        if (first !== undefined && second !== undefined)
          expect(second.y + second.height).toBe(first.y);
        for (const { y } of own) expect(y).toBeGreaterThanOrEqual(BOX.y);
        const isPast = (column * endNs) / WIDTH >= wholeNs;
        if (isPast) expect(own).toEqual([]);
      }
    }),
  );
});

test('what happened at all is seen; a full stretch is one bar', () => {
  const span = { window: { startNs: 0, endNs: 40_000 }, width: WIDTH, pixelRatio: 1 };
  const [short] = densityBars(span, [laneOf([7], 5, () => true)], BOX);
  expect(short).toEqual({ x: 0, width: 1, y: 22, height: 1, colour: 5 });
  const bars = densityBars(span, [laneOf([20_000], 5, () => true)], BOX);
  expect(bars).toEqual([{ x: 0, width: 20, y: 3, height: 20, colour: 5 }]);
});
