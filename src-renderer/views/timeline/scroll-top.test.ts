import { expect, test } from 'vitest';
import { scrollTopFor } from './scroll-top.ts';

test.each([
  ['in view', { y: 120, height: 20 }, 100],
  ['above', { y: 90, height: 20 }, 90],
  ['below', { y: 190, height: 20 }, 110],
  ['taller than the room', { y: 130, height: 200 }, 130],
])('a row %s', (_, row, expected) => {
  expect(scrollTopFor(row, 100, 100)).toBe(expected);
});
