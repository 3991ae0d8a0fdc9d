import { array, assert, constantFrom, integer, oneof, property } from 'fast-check';
import { describe, expect, test } from 'vitest';
import { lowerBound, lowerBoundBy, upperBound, upperBoundBy } from './bisect.ts';

const limits = oneof(integer({ min: -3, max: 23 }), constantFrom(-Infinity, Infinity, 7.5));
const sorted = array(integer({ min: 0, max: 20 }), { maxLength: 40 }).map((values) =>
  values.toSorted((a, b) => a - b),
);

describe('where a limit stands in sorted values', () => {
  test('as a walk from the first finds it, in every kind of array', () => {
    assert(
      property(sorted, limits, (values, limit) => {
        const end = (found: number) => (found < 0 ? values.length : found);
        const lower = end(values.findIndex((value) => value >= limit));
        const upper = end(values.findIndex((value) => value > limit));
        for (const kind of [Float64Array, Int32Array]) {
          expect(lowerBound(kind.from(values), limit)).toBe(lower);
          expect(upperBound(kind.from(values), limit)).toBe(upper);
        }
        const items = values.map((value) => ({ value }));
        expect(lowerBoundBy(items, limit, ({ value }) => value)).toBe(lower);
        expect(upperBoundBy(items, limit, ({ value }) => value)).toBe(upper);
      }),
    );
  });

  test('within a part of the array, and never outside it', () => {
    assert(
      property(sorted, limits, integer({ min: 0, max: 40 }), (values, limit, cut) => {
        const from = Math.min(cut, values.length);
        const to = Math.min(from + 5, values.length);
        const part = Float64Array.from(values.slice(from, to));
        const whole = Float64Array.from(values);
        expect(lowerBound(whole, limit, from, to)).toBe(from + lowerBound(part, limit));
        expect(upperBound(whole, limit, from, to)).toBe(from + upperBound(part, limit));
      }),
    );
  });

  test('behind all of them where it is not a number', () => {
    const values = Float64Array.of(1, 2, 3);
    expect(lowerBound(values, Number.NaN)).toBe(3);
    expect(upperBound(values, Number.NaN)).toBe(3);
    expect(lowerBoundBy([1, 2, 3], Number.NaN, (value) => value)).toBe(3);
    expect(upperBoundBy([1, 2, 3], Number.NaN, (value) => value)).toBe(3);
  });
});
