import { expect, test } from 'vitest';
import type { ProcessInfo } from '../../../src-main/shared/model/trace.ts';
import { fakeSummary } from '../../../src-main/timeline/testing/fake-summary.ts';
import { areCpusTold, cpusText, processRows, rankText } from './process-rows.ts';

const process = (pid: number, changes: Partial<ProcessInfo> = {}): ProcessInfo => ({
  pid,
  name: 'python3',
  parent: -1,
  role: 'other',
  roleBasis: '',
  ...changes,
});

test('the job stands first, by role and rank; strangers to it follow', () => {
  const rows = processRows(
    fakeSummary(
      {},
      {
        processes: [
          process(1),
          process(30, { role: 'main', rank: 0 }),
          process(20, { role: 'main', rank: 1 }),
          process(40, { commandLine: 'sh -c train' }),
        ],
      },
    ),
  );
  expect(rows.map(({ process: { pid }, outside }) => [pid, outside])).toEqual([
    [30, false],
    [20, false],
    [40, false],
    [1, true],
  ]);
});

test('rank and CPUs are said as far as they are known', () => {
  expect(rankText(process(1))).toBe('');
  expect(rankText(process(1, { rank: 9, localRank: 1, worldSize: 16 }))).toBe('9 of 16 · local 1');
  expect(rankText(process(1, { rank: 0, localRank: 0, worldSize: 2 }))).toBe('0 of 2');
  expect(cpusText(process(1, { cpusAllowed: '0-3', cpuQuota: 1.5 }))).toBe(
    '0-3 · at most 1.5 CPUs',
  );
});

test('where all may run everywhere, nothing is told of it', () => {
  const rowsOf = (...processes: ProcessInfo[]) => processRows(fakeSummary({}, { processes }));
  const everywhere = process(1, { cpusAllowed: '0-1' });
  expect(areCpusTold(rowsOf(everywhere, process(2), everywhere))).toBe(false);
  expect(areCpusTold(rowsOf(everywhere, process(2, { cpusAllowed: '0' })))).toBe(true);
  expect(areCpusTold(rowsOf(process(1, { cpuQuota: 2 })))).toBe(true);
});
