import { describe, expect, test } from 'vitest';
import { clampWindow, MIN_WINDOW_NS, timeScale, zoomWindow } from './time-window.ts';

const LENGTH_NS = 100e9;
const WIDTH = 1200;

describe('time window', () => {
  test('zooming to single ns on a 100 s trace stays exact', () => {
    const targetNs = 87_654_321_987;
    let window = { startNs: 0, endNs: LENGTH_NS };
    while (window.endNs - window.startNs > MIN_WINDOW_NS)
      window = clampWindow(zoomWindow(window, 1.7, targetNs), LENGTH_NS);
    const scale = timeScale(window, WIDTH);
    const pixelsPerNs = WIDTH / MIN_WINDOW_NS;
    expect(scale(targetNs + 1) - scale(targetNs)).toBeCloseTo(pixelsPerNs, 3);
    expect(Math.round(scale.invert(scale(targetNs)))).toBe(targetNs);
  });

  test('zooming keeps the anchor in place', () => {
    const zoomed = zoomWindow({ startNs: 100, endNs: 1100 }, 4, 350);
    expect((350 - zoomed.startNs) / (zoomed.endNs - zoomed.startNs)).toBeCloseTo(0.25, 9);
  });

  test('a window never leaves the trace nor gets narrower than allowed', () => {
    expect(clampWindow({ startNs: -50, endNs: 50 }, 1000)).toEqual({ startNs: 0, endNs: 100 });
    expect(clampWindow({ startNs: 950, endNs: 1050 }, 1000)).toEqual({ startNs: 900, endNs: 1000 });
    expect(clampWindow({ startNs: 500, endNs: 500 }, 1000)).toEqual({ startNs: 490, endNs: 510 });
    expect(clampWindow({ startNs: 0, endNs: 5 }, 0)).toEqual({ startNs: 0, endNs: MIN_WINDOW_NS });
  });
});
