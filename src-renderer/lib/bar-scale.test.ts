import fc from 'fast-check';
import { expect, test } from 'vitest';
import { barScale, scaleWords } from './bar-scale.ts';

const steps = Array.from({ length: 30 }, (_, at) => (40 + at) * 1e6);

test('bars that are alike go up to the longest', () => {
  const scale = barScale(steps);
  expect(scale).toEqual({ topNs: 69e6, longestNs: 69e6, cutCount: 0 });
  expect(scaleWords(scale)).toBe('longest step 69.00 ms');
});

test('one bar that is far longer is cut, and the scale says so', () => {
  const scale = barScale([...steps, 900e6]);
  expect(scale.cutCount).toBe(1);
  expect(scale.topNs).toBeLessThan(100e6);
  expect(scaleWords(scale)).toMatch(/^longest 900\.0 ms; bars end at [\d.]+ ms$/);
  expect(barScale([...steps, 500e6, 900e6]).cutCount).toBe(2);
});

test('without bars, and where most have no length, there still is a scale', () => {
  expect(barScale([])).toEqual({ topNs: 1, longestNs: 0, cutCount: 0 });
  expect(barScale([...Array.from({ length: 20 }, () => 0), 5])).toMatchObject({ topNs: 5 });
});

test('nine of ten bars are always seen whole, and no bar is cut where none is twice as high', () => {
  fc.assert(
    fc.property(fc.array(fc.integer({ min: 0, max: 1e12 }), { maxLength: 200 }), (lengths) => {
      const { topNs, longestNs, cutCount } = barScale(lengths);
      expect(cutCount).toBeLessThanOrEqual(lengths.length / 10);
      if (cutCount > 0) expect(longestNs).toBeGreaterThan(2 * topNs);
    }),
  );
});
