import { expect, test } from 'vitest';
import { median } from './median.ts';

test('is the one in the middle, or the mean of the two there', () => {
  expect(median([9, 1, 5])).toBe(5);
  expect(median([4, 1, 2, 100])).toBe(3);
  expect(median([7])).toBe(7);
  expect(median([])).toBeNaN();
});
