import { expect, test } from 'vitest';
import { scrollTopFor } from './scroll-top.ts';

test.each([
  ['in view', { y: 120, height: 20 }, 0, 100],
  ['above', { y: 90, height: 20 }, 0, 90],
  ['below', { y: 190, height: 20 }, 0, 110],
  ['taller than the room', { y: 130, height: 200 }, 0, 130],
  ['that stays', { y: 20, height: 20 }, 40, 100],
  ['beneath those that stay', { y: 120, height: 20 }, 40, 80],
  ['in view below those that stay', { y: 145, height: 20 }, 40, 100],
  ['taller than the room below those that stay', { y: 150, height: 70 }, 40, 110],
])('a row %s', (_, row, fixed, expected) => {
  expect(scrollTopFor(row, { top: 100, fixed }, 100)).toBe(expected);
});
