import { expect, test } from 'vitest';
import type { RankDiagnosis } from '../answers/diagnosis.ts';
import type { PhaseSplit, StepSummary } from '../answers/steps.ts';
import { rankCellText, rankTables } from './rank-table.ts';

const MS = 1e6;

/** A rank of 100 steps of 10 ms, with so many ms of each phase in a step. */
function rank(
  number: number,
  each: Partial<PhaseSplit>,
  more: Partial<RankDiagnosis> = {},
  steps: Partial<StepSummary> = {},
): RankDiagnosis {
  const total = { other: 0, input: 0, h2d: 0, compute: 0, collective: 0, idle: 0 };
  for (const [phase, ms] of Object.entries(each)) total[phase as keyof PhaseSplit] = ms * 100 * MS;
  return {
    rank: { label: `rank ${number}` } as RankDiagnosis['rank'],
    job: 0,
    verdict: 'balanced',
    severity: 'info',
    sentence: '',
    inputKnown: true,
    starvation: {} as RankDiagnosis['starvation'],
    steps: {
      ...{ basis: 'signature', note: '', inputNote: '', steps: [] },
      ...{ count: 100, window: [0, 1000 * MS], total },
      ...steps,
    },
    ...more,
  };
}

const fast = (number: number, more: Partial<RankDiagnosis> = {}) =>
  rank(number, { input: 1, compute: 4, collective: 5 }, more);

test('one row a rank, and of a column the rank that has clearly most is marked', () => {
  const [table] = rankTables({ ranks: [fast(0), rank(1, { input: 6, compute: 4 }), fast(2)] });
  expect(table.columns).toEqual([
    ...[
      'Rank',
      'Steps',
      'Step',
      'Input',
      'Copies to the GPU',
      'Compute',
      'Other',
      'Waits for ranks',
    ],
  ]);
  const texts = table.rows.map(({ label, cells }) => [label, ...cells.map(rankCellText)]);
  expect(texts[1]).toEqual([
    'rank 1',
    '100',
    '10.00 ms',
    '6.000 ms (most)',
    '0 ns',
    '4.000 ms',
    '0 ns',
    '0 ns',
  ]);
  expect(texts[0]).toContain('5.000 ms');
  expect(texts.flat().filter((text) => text.includes('(most)'))).toHaveLength(1);
});

test('a little more than the others is not marked, nor is who waits for the others', () => {
  const ranks = [fast(0), rank(1, { input: 1.9, compute: 4, collective: 0.1 }), fast(2)];
  const cells = rankTables({ ranks }).flatMap(({ rows }) => rows.flatMap((row) => row.cells));
  expect(cells.some(({ isWorst }) => isWorst)).toBe(false);
});

test('who comes last to collectives is told where that is known', () => {
  const late = { known: 90, last: 88, othersWaitedNs: 2e9, isLeader: true as const };
  const [table] = rankTables({ ranks: [fast(0), fast(1, { lateness: late })] });
  expect(table.columns.slice(-2)).toEqual(['Came last', 'Others waited for it']);
  const ends = table.rows.map(({ cells }) => cells.slice(-2).map(rankCellText));
  expect(ends).toEqual([
    ['not known', 'not known'],
    ['88 of 90 (most)', '2.000 s'],
  ]);
});

test('input that is not known is not said to be nothing', () => {
  const [table] = rankTables({ ranks: [fast(0, { inputKnown: false }), fast(1)] });
  expect(table.rows[0].cells[2].text).toBe('not known');
});

test('ranks are compared within a job, and only those that train in steps with all calls', () => {
  expect(rankTables({ ranks: [fast(0), fast(1, { job: 1 })] })).toEqual([]);
  expect(rankTables({ ranks: [fast(0), rank(1, {}, {}, { count: 0 })] })).toEqual([]);
  expect(rankTables({ ranks: [fast(0), rank(1, {}, {}, { isSelection: true })] })).toEqual([]);
  expect(rankTables({ ranks: [fast(0), rank(1, {}, {}, { serves: true })] })).toEqual([]);
  const { job: _, ...alone } = fast(0);
  expect(rankTables({ ranks: [alone, { ...alone }] })).toEqual([]);
  expect(
    rankTables({ ranks: [fast(0), fast(1), fast(0, { job: 1 }), fast(1, { job: 1 })] }),
  ).toHaveLength(2);
});
