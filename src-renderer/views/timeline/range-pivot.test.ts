import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type NameStatistics, pivotKey } from '../../../src-main/shared/answers/range-figures.ts';
import { pivotOf } from './range-pivot.ts';

const cell = (row: string, column: string, totalNs: number, count = 1): NameStatistics => ({
  ...{ name: pivotKey(row, column), colour: 0, count, totalNs },
  ...{ p50Ns: 0, p95Ns: 0, p99Ns: 0, maxNs: totalNs },
});

test('rows and columns stand by their sums, and empty cells stay empty', () => {
  const { columns, rows, totals, total } = pivotOf([
    cell('worker 1', 'Running', 5),
    cell('worker 1', 'Blocked', 20),
    cell('main', 'Running', 9, 3),
  ]);
  expect(columns).toEqual(['Blocked', 'Running']);
  expect(rows.map(({ name, cells }) => [name, ...cells.map((each) => each?.totalNs)])).toEqual([
    ['worker 1', 20, 5],
    ['main', undefined, 9],
  ]);
  expect(rows[1]?.total).toEqual({ count: 3, totalNs: 9, maxNs: 9 });
  expect(totals.map(({ totalNs, count }) => [totalNs, count])).toEqual([
    [20, 1],
    [14, 4],
  ]);
  expect(total).toEqual({ count: 5, totalNs: 34, maxNs: 20 });
});

test('nothing is an empty table', () => {
  const nothing = { count: 0, totalNs: 0, maxNs: 0 };
  expect(pivotOf([])).toEqual({ columns: [], rows: [], totals: [], total: nothing });
});

test('the smallest of many columns are one, and every event is counted once each way', () => {
  const names = fc.integer({ min: 0, max: 20 }).map((number) => `n${number}`);
  const key = ({ name }: NameStatistics) => name;
  const cells = fc.uniqueArray(
    fc
      .tuple(names, names, fc.integer({ min: 0, max: 1000 }), fc.integer({ min: 1, max: 9 }))
      .map((given) => cell(...given)),
    { selector: key },
  );
  fc.assert(
    fc.property(cells, (statistics) => {
      const { columns, rows, totals, total } = pivotOf(statistics);
      expect(columns.length).toBeLessThanOrEqual(13);
      const sum = (values: readonly number[]) => values.reduce((all, value) => all + value, 0);
      expect(total.totalNs).toBe(sum(statistics.map(({ totalNs }) => totalNs)));
      expect(sum(totals.map(({ count }) => count))).toBe(total.count);
      expect(sum(rows.map((row) => row.total.totalNs))).toBe(total.totalNs);
      for (const row of rows) {
        expect(row.cells).toHaveLength(columns.length);
        expect(sum(row.cells.map((each) => each?.totalNs ?? 0))).toBe(row.total.totalNs);
      }
      if (columns.length === 13) expect(columns.at(-1)).toMatch(/^\d+ others$/);
    }),
  );
});
