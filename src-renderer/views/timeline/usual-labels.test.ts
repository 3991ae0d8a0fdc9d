import { expect, test } from 'vitest';
import { usualLabelsPx } from './usual-labels.ts';

test('a wide timeline has room for longer names, a narrow one leaves it to the tracks', () => {
  const widths = [320, 640, 870, 1280, 1900, 2560].map(usualLabelsPx);
  expect(widths).toEqual(widths.toSorted((a, b) => a - b));
  expect(usualLabelsPx(640)).toBeLessThan(640 / 2.9);
  expect(usualLabelsPx(2560)).toBe(380);
});
