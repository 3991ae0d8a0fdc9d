import fc from 'fast-check';
import { expect, test } from 'vitest';
import { percentiles } from '../../shared/numbers/percentile.ts';
import { atOnce } from '../../shared/numbers/pieces.ts';
import { DurationCounter } from './counted-durations.ts';

/** Short ones, those about where counting ends, long ones, and what only a damaged file has. */
const durationNs = fc.oneof(
  fc.integer({ min: 0, max: 20 }),
  fc.integer({ min: 2 ** 20 - 2, max: 2 ** 20 + 2 }),
  fc.integer({ min: 2 ** 30, max: 2 ** 53 - 1 }),
  fc.constantFrom(0.5, 1e6 + 0.25),
);

function counted(durations: readonly number[]) {
  const counter = new DurationCounter();
  for (const ns of durations) counter.add(ns);
  return atOnce(counter.counted());
}

test('ranks and percentiles are those of the list of all durations', () => {
  fc.assert(
    fc.property(fc.array(durationNs, { minLength: 1, maxLength: 60 }), durationNs, (all, ns) => {
      const durations = counted(all);
      expect(durations.count).toBe(all.length);
      expect(durations.maxNs).toBe(Math.max(...all));
      for (const limit of [ns, ...all])
        expect(durations.longerThan(limit)).toBe(all.filter((one) => one > limit).length);
      const wanted = [0, 5, 50, 95, 100];
      // One that is no whole number is listed with the long ones, whatever its length: percentiles may be off by it.
      if (all.every(Number.isInteger))
        expect(atOnce(durations.percentiles(wanted))).toEqual(
          percentiles(Float64Array.from(all), wanted),
        );
    }),
    { numRuns: 30 },
  );
});

test('of no durations there is none longer, and every percentile is 0', () => {
  const none = counted([]);
  expect([none.count, none.maxNs, none.longerThan(0)]).toEqual([0, 0, 0]);
  expect(atOnce(none.percentiles([50, 95]))).toEqual([0, 0]);
});
