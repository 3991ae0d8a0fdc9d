import { expect, test } from 'vitest';
import { boxesBetween } from './range-veil.ts';

test('what rows leave of a chart is told from top to bottom, and nothing where no rows are told', () => {
  expect(boxesBetween([], 90)).toEqual([]);
  expect(boxesBetween([{ y: 0, height: 90 }], 90)).toEqual([]);
  const rows = [
    { y: 10, height: 20 },
    { y: 30, height: 5 },
    { y: 60, height: 20 },
  ];
  expect(boxesBetween(rows, 90)).toEqual([
    { y: 0, height: 10 },
    { y: 35, height: 25 },
    { y: 80, height: 10 },
  ]);
});
