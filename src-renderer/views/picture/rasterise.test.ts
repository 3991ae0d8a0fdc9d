import { expect, test } from 'vitest';
import { fitsCanvas, pictureSize } from './rasterise.ts';

test('a picture says its size, and what is too large for a canvas is known before', () => {
  const size = pictureSize('<svg xmlns="http://x" width="1600" height="900" viewBox="0 0 9 9">');
  expect(size).toEqual({ width: 1600, height: 900 });
  expect(fitsCanvas(size, 2)).toBe(true);
  expect(fitsCanvas({ width: 3200, height: 16_000 }, 2)).toBe(false);
  expect(fitsCanvas({ width: 16_384, height: 16_385 }, 1)).toBe(false);
});
