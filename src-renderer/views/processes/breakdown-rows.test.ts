import { expect, test } from 'vitest';
import type { ProcessBreakdown } from '../../../src-main/shared/answers/process-breakdown.ts';
import { cellMark, columnMark, columnsOf, longerHelperStallNs } from './breakdown-columns.ts';
import { breakdownRows } from './breakdown-rows.ts';

function processOf(process: number, more: Partial<ProcessBreakdown>): ProcessBreakdown {
  return {
    ...{ process, pid: 100 + process, label: '', lineage: '', name: 'python3', role: 'other' },
    ...{ roleBasis: '', roleSet: false, parent: -1, insideJob: true, threads: [], ...more },
  };
}

const thread = (tid: number, switches: number) => ({
  ...{ thread: tid, tid, name: '', role: 'other' as const, roleBasis: '', switches },
});

const tree = [
  processOf(0, { role: 'dataloader-worker', parent: 2, startNs: 9, switches: 5 }),
  processOf(1, { role: 'dataloader-worker', parent: 2, startNs: 3, switches: 7 }),
  processOf(2, { role: 'main', parent: 3, rank: 0, threads: [thread(8, 1), thread(9, 2)] }),
  processOf(3, { role: 'launcher', switches: 1 }),
  processOf(4, { role: 'main', parent: 99 }),
];

const shown = (rows: ReturnType<typeof breakdownRows>) =>
  rows.map(
    (row) => `${row.kind === 'process' ? row.process.process : `t${row.thread.tid}`}/${row.depth}`,
  );

test('the tree: launcher, ranks, workers in order of birth', () => {
  const rows = breakdownRows(tree, 'tree', new Set());
  expect(shown(rows)).toEqual(['3/0', '2/1', '1/2', '0/2', '4/0']);
});

test('a figure: the most first, processes without it last', () => {
  expect(shown(breakdownRows(tree, 'switches', new Set()))).toEqual([
    ...['1/0', '0/0', '3/0', '2/0', '4/0'],
  ]);
});

test('threads stand below their process, in its order', () => {
  expect(shown(breakdownRows(tree, 'tree', new Set([2]))).slice(1, 4)).toEqual([
    '2/1',
    't8/2',
    't9/2',
  ]);
  expect(shown(breakdownRows(tree, 'switches', new Set([2]))).slice(3, 6)).toEqual([
    ...['2/0', 't9/1', 't8/1'],
  ]);
});

test('columns are those with a figure, and say how it is known', () => {
  expect(columnsOf(tree).map(({ figure }) => figure)).toEqual(['switches']);
  expect(columnsOf([{ majorFaults: 0, throttledNs: 0 }])).toEqual([]);
  const bases = [{ aggregated: ['switches'], atLeast: ['cpuNs'] }] as const;
  expect(columnMark(bases, 'switches')).toBe('from sums');
  expect(columnMark(bases, 'cpuNs')).toBe('at least');
  expect(columnMark(bases, 'cudaNs')).toBe('');
  expect(cellMark(bases, 0, 'cpuNs')).toBe('');
});

test('where hosts differ, each figure says how it is known', () => {
  const bases = [
    { aggregated: [], atLeast: ['cpuNs'] },
    { aggregated: [], atLeast: [] },
  ] as const;
  expect(columnMark(bases, 'cpuNs')).toBe('');
  expect([0, 1].map((host) => cellMark(bases, host, 'cpuNs'))).toEqual(['at least', '']);
});

test('a helper thread that was off the CPU for longer than its process is told beside it', () => {
  const helper = { ...thread(2, 5), longestStallNs: 900 };
  const main = { ...thread(1, 5), role: 'main' as const, longestStallNs: 20 };
  const process = { role: 'main' as const, threads: [main, helper] };
  expect(longerHelperStallNs({ ...process, longestStallNs: 20 })).toBe(900);
  expect(longerHelperStallNs({ ...process, longestStallNs: 1_000 })).toBeUndefined();
  expect(longerHelperStallNs({ ...process, threads: [main], longestStallNs: 20 })).toBeUndefined();
});
