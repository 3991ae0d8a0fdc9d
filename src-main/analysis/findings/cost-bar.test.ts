import { describe, expect, test } from 'vitest';
import { noEvents } from '../../shared/model/event-ref.ts';
import { phaseLabels } from '../../shared/words/terms.ts';
import { type Claim, claimCells } from './claim-costs.ts';
import { costBar } from './cost-bar.ts';
import type { CostCell } from './facts/facts.ts';
import { cell } from './testing/build-facts.ts';

const fact = { text: '', basis: 'exact', events: noEvents } as const;

/** A finding that claims what `claims` picks. */
function claimsOf(cells: readonly CostCell[], claims: (cell: CostCell) => boolean): Claim[] {
  const judgement = {
    title: 'Found',
    sentence: '',
    confidence: 'proven',
    evidence: [],
    fix: { title: '', text: '', before: '', after: '', language: 'python', sources: [] },
    chain: { system: fact, host: fact, cuda: fact },
  } as const;
  return claimCells([{ id: 'found', judgement: { ...judgement, claims } }], cells);
}
const label = (phase: CostCell['phase']) => phaseLabels[phase];
const sum = (bar: readonly { readonly ns: number }[]) => bar.reduce((all, { ns }) => all + ns, 0);
const told = (bar: ReturnType<typeof costBar>) => bar.map((row) => [row.label, row.ns]);

describe('the bar', () => {
  test('is the whole window: the findings, then of each phase what no finding claims', () => {
    const cells = [
      cell('input', 'worker', 'running', 100, { starvedNs: 60 }),
      cell('input', 'worker', 'unknown', 40),
      cell('input', 'main', 'disk', 10),
      cell('compute', 'main', 'device', 500),
    ];
    const bar = costBar([
      { claims: claimsOf(cells, ({ cause }) => cause === 'running'), cells, label },
    ]);
    expect(told(bar)).toEqual([
      ['Found', 60],
      ['Computing, or waiting for the GPU', 500],
      ['Waiting for input: while the GPU may have been busy', 40],
      ['Waiting for input: cause not known', 40],
      ['Waiting for input: the rest', 10],
    ]);
    expect(sum(bar)).toBe(650);
  });

  test('is the whole window where two findings share a time', () => {
    const cells = [cell('input', 'worker', 'running', 100, { starvedNs: 60 })];
    const [{ judgement }] = claimsOf(cells, () => true);
    const claims = claimCells(
      [
        { id: 'few', judgement: { ...judgement, title: 'Few', claimShare: 0.5 } },
        { id: 'slow', judgement: { ...judgement, title: 'Slow' } },
      ],
      cells,
    );
    expect(told(costBar([{ claims, cells, label }]))).toEqual([
      ['Few', 30],
      ['Slow', 30],
      ['Waiting for input: while the GPU may have been busy', 40],
    ]);
  });

  test('has for a phase of which nothing is claimed rows that sum to it, all of it by its own name', () => {
    const cells = [
      cell('h2d', 'main', 'device', 30),
      cell('h2d', 'main', 'staging', 20),
      cell('compute', 'main', 'off-cpu', 300),
      cell('compute', 'main', 'device', 500),
      cell('other', 'main', 'unknown', 700),
    ];
    expect(told(costBar([{ claims: [], cells, label }]))).toEqual([
      ['Other host time: not known whether the thread ran or waited', 700],
      ['Computing, or waiting for the GPU: the rest', 500],
      ['Computing, or waiting for the GPU: off the CPU, why is not known', 300],
      ['Copying to the GPU', 50],
    ]);
  });

  test('has no row that nobody could see, and loses none of its time', () => {
    const cells = [
      cell('input', 'main', 'unknown', 17),
      cell('input', 'worker', 'running', 135_000),
      cell('compute', 'main', 'device', 1_000_000),
    ];
    const bar = costBar([{ claims: [], cells, label }]);
    expect(told(bar).at(-1)).toEqual(['Waiting for input', 135_017]);
    expect(sum(bar)).toBe(1_135_017);
  });

  test('takes nothing from one rank that another claims', () => {
    const [own, others] = [1, 2].map(() => [
      cell('input', 'worker', 'running', 100, { starvedNs: 60 }),
    ]) as [CostCell[], CostCell[]];
    const bar = costBar([
      { claims: claimsOf(own, () => true), cells: own, label },
      { claims: [], cells: others, label },
    ]);
    expect(bar.map(({ ns }) => ns)).toEqual([60, 100, 40]);
    expect(sum(bar)).toBe(200);
  });
});
