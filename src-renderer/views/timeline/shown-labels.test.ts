import { expect, test } from 'vitest';
import type { Row } from '../../../src-main/timeline/view/layout-tracks.ts';
import { shownLabels } from './shown-labels.ts';

const rowsOf = (count: number) =>
  Array.from({ length: count }, (_, at) => ({ id: `${at}`, y: at * 20, height: 20 }) as Row);

const ids = (rows: readonly Row[]) => rows.map(({ id }) => Number(id));

test('few rows are all there', () => {
  const rows = rowsOf(400);
  expect(shownLabels(rows, { top: 0, fixed: 0 }, 100, undefined)).toBe(rows);
});

test('of many those in view are there, and those a screen away', () => {
  const shown = shownLabels(rowsOf(20_000), { top: 100_000, fixed: 0 }, 600, undefined);
  expect([ids(shown).at(0), ids(shown).at(-1)]).toEqual([4_970, 5_059]);
});

test('the row with the focus is there wherever it is', () => {
  const many = rowsOf(20_000);
  const shown = shownLabels(many, { top: 0, fixed: 0 }, 600, many[9_999]);
  expect(ids(shown).at(-1)).toBe(9_999);
  expect(shown).toHaveLength(61);
});
