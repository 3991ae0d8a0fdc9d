import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { transformToWindow, windowToTransform } from './zoom-transform.ts';

const LENGTH_NS = 100e9;
const WIDTH = 1200;

describe('zoom transform', () => {
  test('a d3 transform and back keeps a window to a thousandth of a ns', () => {
    const windows = fc.record({
      start: fc.integer({ min: 0, max: LENGTH_NS - 1e6 }),
      span: fc.oneof(fc.integer({ min: 20, max: 1000 }), fc.integer({ min: 20, max: 1e6 })),
    });
    fc.assert(
      fc.property(windows, ({ start, span }) => {
        const window = { startNs: start, endNs: start + span };
        const there = windowToTransform(window, LENGTH_NS, WIDTH);
        const back = transformToWindow(there, LENGTH_NS, WIDTH);
        expect(Math.abs(back.startNs - window.startNs)).toBeLessThan(1e-3);
        expect(Math.abs(back.endNs - window.endNs)).toBeLessThan(1e-3);
      }),
    );
  });
});
