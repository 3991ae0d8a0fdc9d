import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Row, TrackLayout } from '../../src-main/timeline/view/layout-tracks.ts';
import { fixedHeight, inLayout, onChart, onChartBelowFixed, rowsBetween } from './row-scroll.ts';

/** Rows of 20 pixels: a heading and tracks of each group. */
function layoutOf(...groups: readonly (readonly [id: string, tracks: number])[]): TrackLayout {
  const rows = groups.flatMap(([id, tracks]) =>
    Array.from({ length: tracks + 1 }, (_, at) => ({ id: `${id} ${at}`, group: { id } })),
  );
  const placed = rows.map((row, at) => ({ ...row, y: 20 * at, height: 20 }) as unknown as Row);
  return { rows: placed, height: 20 * placed.length };
}

describe('the rows that stay', () => {
  test.each([
    ['all that are pinned', layoutOf(['pinned', 3], ['cpus', 40]), 600, 80],
    ['as many as leave room for others', layoutOf(['pinned', 30], ['cpus', 40]), 600, 380],
    ['none where nothing is pinned', layoutOf(['cpus', 4]), 600, 0],
    ['none where only the heading has room', layoutOf(['pinned', 3], ['cpus', 4]), 50, 0],
    ['the heading of a group that is folded', layoutOf(['pinned', 0], ['cpus', 4]), 600, 20],
    ['none before there is any room', layoutOf(['pinned', 3]), 0, 0],
  ])('%s', (_, layout, room, height) => {
    expect(fixedHeight(layout, room)).toBe(height);
  });
});

test('what is on the chart is found there again', () => {
  const scrolls = fc.record({ top: fc.nat(1_000), fixed: fc.nat(200) });
  fc.assert(
    fc.property(scrolls, fc.nat(2_000), (scroll, chartY) => {
      expect(onChart(inLayout(chartY, scroll), scroll)).toBe(chartY);
    }),
  );
});

test('what is scrolled beneath the rows that stay is at their edge', () => {
  const at = (y: number, fixed: number) => onChartBelowFixed(y, { top: 100, fixed });
  expect([at(10, 50), at(60, 50), at(170, 50), at(60, 0)]).toEqual([10, 50, 70, -40]);
});

test.each([
  ['one place', 30, 30, ['pinned 1']],
  ['rows that stay', 25, 45, ['pinned 1', 'pinned 2']],
  ['either way', 45, 25, ['pinned 1', 'pinned 2']],
  [
    'rows on both sides, without those in between that cannot be seen',
    50,
    75,
    ['pinned 2', 'cpus 2', 'cpus 3'],
  ],
  ['below the last row', 5_000, 6_000, []],
])('the rows between two places of the chart: %s', (_, oneY, otherY, ids) => {
  // 60 pixels stay, 50 are scrolled away beneath them: half of the third of the others is seen.
  const rows = rowsBetween(
    layoutOf(['pinned', 2], ['cpus', 40]),
    { top: 50, fixed: 60 },
    oneY,
    otherY,
  );
  expect(rows.map(({ id }) => id)).toEqual(ids);
});
