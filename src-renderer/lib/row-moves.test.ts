import { expect, test } from 'vitest';
import { rowAfter } from './row-moves.ts';

test.each([
  ['first', 0],
  ['last', 99],
  ['page-up', 30],
  ['page-down', 70],
  [-1, 49],
  [1, 51],
] as const)('%s leads from row 50 to row %i', (by, expected) => {
  expect(rowAfter(by, 50, 99, 20)).toBe(expected);
});

test('no move leads out of the list', () => {
  expect(rowAfter('page-up', 3, 99, 20)).toBe(0);
  expect(rowAfter('page-down', 95, 99, 20)).toBe(99);
  expect(rowAfter(-1, 0, 0, 1)).toBe(0);
});
