import { expect, test } from 'vitest';
import { cellText, columnKinds, sortedRows } from './result-columns.ts';

test('a column is of numbers where nothing else stands in it', () => {
  const rows = [
    [1, 'a', null, '9007199254740993', 1],
    [null, 2, null, 5, 'x'],
  ];
  expect(columnKinds(5, rows)).toEqual(['number', 'text', 'empty', 'number', 'text']);
});

test('rows are sorted by value, and what is not known comes last whichever way', () => {
  const rows = [[2], ['b'], [null], [10], ['a'], ['9007199254740993']];
  const up = sortedRows(rows, 0, 1).map(([cell]) => cell);
  expect(up).toEqual([2, 10, '9007199254740993', 'a', 'b', null]);
  expect(
    sortedRows(rows, 0, -1)
      .map(([cell]) => cell)
      .at(-1),
  ).toBeNull();
  expect(
    sortedRows(
      [
        [1, 'x'],
        [1, 'y'],
      ],
      0,
      -1,
    ),
  ).toEqual([
    [1, 'x'],
    [1, 'y'],
  ]);
});

test('a number keeps its digits, without those that are no number of anything', () => {
  expect(cellText(0.1 + 0.2)).toBe('0.3');
  expect(cellText(123456789012)).toBe('123456789012');
  expect(cellText(null)).toBe('NULL');
  expect(cellText('')).toBe('');
});
