import { describe, expect, test } from 'vitest';
import { timeTicks } from './time-ticks.ts';

const labels = (startNs: number, endNs: number) =>
  timeTicks({ startNs, endNs }, 600).ticks.map((tick) => tick.label.replaceAll('\u202f', '_'));

describe('time ticks', () => {
  test('labels have the digits their step needs', () => {
    expect(labels(0, 100e9)).toEqual(['+0 s', '+20 s', '+40 s', '+60 s', '+80 s', '+100 s']);
    expect(labels(1.2e9, 1.6e9).slice(0, 2)).toEqual(['+1.200 s', '+1.300 s']);
    expect(labels(1.2e9, 1.2004e9)[1]).toBe('+1.200_100 s');
  });

  test('single ns count from a base moment', () => {
    const ticks = timeTicks({ startNs: 87_654_321_000, endNs: 87_654_321_020 }, 600);
    expect(ticks.stepNs).toBe(5);
    expect(ticks.baseNs).toBe(87_654_000_000);
    expect(ticks.ticks.map((tick) => tick.ns)).toEqual([
      87_654_321_000, 87_654_321_005, 87_654_321_010, 87_654_321_015, 87_654_321_020,
    ]);
  });

  test('marks are on whole ns, none before the begin', () => {
    const { ticks } = timeTicks({ startNs: -3, endNs: 18 }, 2400);
    expect(ticks.length).toBeGreaterThan(2);
    for (const tick of ticks) {
      expect(Number.isInteger(tick.ns)).toBe(true);
      expect(tick.ns).toBeGreaterThanOrEqual(0);
    }
  });
});
