import { expect, test } from 'vitest';
import type { Activity } from '../../../src-main/shared/answers/process-breakdown.ts';
import { columnsOf, fittingColumns } from './breakdown-columns.ts';

const figures = {
  ...{ cpuNs: 1, runnableNs: 1, switches: 1, preemptions: 1, longestStallNs: 1 },
  ...{ minorFaults: 1, cudaCalls: 1, cudaNs: 1 },
};
const all = columnsOf([figures as unknown as Activity]);
const shownAt = (widthPx: number) => fittingColumns(all, widthPx).map(({ figure }) => figure);

test('a table that has room for all figures has all', () => {
  expect(all).toHaveLength(8);
  expect(fittingColumns(all, 0)).toEqual(all);
  expect(fittingColumns(all, 1400)).toEqual(all);
});

test('the least telling figures go first, in the order of the table', () => {
  expect(shownAt(1130)).not.toContain('minorFaults');
  expect(shownAt(836)).toEqual(['cpuNs', 'runnableNs', 'longestStallNs']);
  expect(shownAt(300)).toEqual(['cpuNs']);
});
