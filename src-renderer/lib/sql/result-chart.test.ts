import { expect, test } from 'vitest';
import { chartOf, MOST_BARS, MOST_SERIES, usualChart } from './result-chart.ts';

test('numbers are drawn over the time where there is one, and told apart by what has few values', () => {
  const columns = ['start_ms', 'role', 'pid', 'held_ms'];
  const kinds = ['number', 'text', 'number', 'number'] as const;
  const rows = [
    [0, 'main', 7, 1],
    [1, 'other', 8, 2],
  ];
  expect(usualChart({ columns, kinds, time: 0 }, rows)).toEqual({ x: 0, y: 3, series: 1 });
});

test('without a time over names, without names over another number; ids are drawn last of all', () => {
  const many = Array.from({ length: 20 }, (_, at) => [`name ${at}`, at, at]);
  const kinds = ['text', 'number', 'number'] as const;
  expect(usualChart({ columns: ['call', 'total_ms', 'pid'], kinds }, many)).toEqual({ x: 0, y: 1 });
  expect(usualChart({ columns: ['a', 'b'], kinds: ['number', 'number'] }, [[1, 2]])).toEqual({
    x: 0,
    y: 1,
  });
  expect(usualChart({ columns: ['a'], kinds: ['text'] }, [['x']])).toBeUndefined();
  expect(usualChart({ columns: [], kinds: [] }, [])).toBeUndefined();
});

test('a bar is a row, in the order of the rows; those that are left out are counted', () => {
  const rows = Array.from({ length: 100 }, (_, at) => [`n${at}`, at === 1 ? null : at]);
  const chart = chartOf(rows, { x: 0, y: 1 }, false);
  expect(chart).toMatchObject({ kind: 'bars', left: 99 - MOST_BARS, withoutValue: 1 });
  if (chart.kind === 'bars')
    expect(chart.bars.map(({ row }) => row).slice(0, 3)).toEqual([0, 2, 3]);
  expect(chart.yExtent).toEqual([0, MOST_BARS]);
});

test('of many points what sticks out is drawn all the same', () => {
  const rows = Array.from({ length: 50_000 }, (_, at) => [at, at === 31_234 ? 1e6 : at % 7]);
  const chart = chartOf(rows, { x: 0, y: 1 }, true);
  if (chart.kind !== 'points') throw new Error('no points');
  expect(chart.points.length).toBeLessThanOrEqual(4_000);
  expect(chart.points).toContainEqual({ row: 31_234, x: 31_234, y: 1e6, series: 0 });
  expect(chart.thinned).toBe(50_000 - chart.points.length);
  expect(chart.xExtent).toEqual([0, 49_999]);
});

test('one point, and none', () => {
  expect(chartOf([[3, 4]], { x: 0, y: 1 }, true)).toMatchObject({ points: [{ x: 3, y: 4 }] });
  expect(chartOf([], { x: 0, y: 1 }, true)).toMatchObject({ points: [], yExtent: [0, 0] });
});

test.each([true, false])(
  'what has no colour of its own has none of another (points: %s)',
  (isNumber) => {
    const rowsOf = (count: number) =>
      Array.from({ length: count }, (_, at) => [at, at, `name ${at}`]);
    const seriesIn = (count: number) => {
      const chart = chartOf(rowsOf(count), { x: 0, y: 1, series: 2 }, isNumber);
      const drawn = chart.kind === 'points' ? chart.points : chart.bars;
      return { last: drawn.at(-1)?.series, hasOthers: chart.hasOthers };
    };
    expect(seriesIn(MOST_SERIES)).toEqual({ last: MOST_SERIES - 1, hasOthers: false });
    expect(seriesIn(MOST_SERIES + 2)).toEqual({ last: MOST_SERIES, hasOthers: true });
  },
);

test('values of a series at even distances are joined, and not over a place that has none', () => {
  const rows = [
    [0, 'main', 1],
    [100, 'main', 2],
    [0, 'other', 5],
    [200, 'main', 3],
    [400, 'main', 4],
    [500, 'main', 4],
    [500, 'other', 4],
  ];
  expect(chartOf(rows, { x: 0, y: 2, series: 1 }, true)).toMatchObject({
    runs: [
      [0, 1, 3],
      [4, 5],
    ],
  });
});

test('nothing is joined where a series has two values at one place, or places are at odd distances', () => {
  const twice = [
    [0, 1],
    [0, 2],
    [1, 3],
  ];
  expect(chartOf(twice, { x: 0, y: 1 }, true)).toMatchObject({ runs: [] });
  const odd = [0, 1, 70, 900, 5_000].map((x) => [x, x]);
  expect(chartOf(odd, { x: 0, y: 1 }, true)).toMatchObject({ runs: [[0, 1]] });
});
