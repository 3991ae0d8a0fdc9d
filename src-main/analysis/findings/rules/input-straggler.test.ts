import { expect, test } from 'vitest';
import { claimCells, totalCost } from '../claim-costs.ts';
import type { Judgement } from '../rule.ts';
import { rules } from '../rules.ts';
import { exampleFacts } from '../testing/examples.ts';
import { inputStraggler } from './input-straggler.ts';

const example = exampleFacts('input-straggler');

test('compares with the other ranks', () => {
  const judgement = inputStraggler.judge(example);
  expect(judgement?.sentence).toContain('waits 40.00 ms a step for input');
  expect(judgement?.sentence).toContain('the other rank waits 1.000 ms');
  expect(judgement?.gainShare).toBeCloseTo(0.975);
});

test('silent for a rank alone, for the others, and where all wait alike', () => {
  expect(inputStraggler.judge({ ...example, siblings: [] })).toBeUndefined();
  const slower = example.siblings.map((one) => ({
    ...one,
    split: { ...one.split, input: 8 * 1e9, compute: 1e9, collective: 1e9 },
  }));
  expect(inputStraggler.judge({ ...example, siblings: slower })).toBeUndefined();
  const alike = example.siblings.map((one) => ({ ...one, split: example.split }));
  expect(inputStraggler.judge({ ...example, siblings: alike })).toBeUndefined();
});

test('without steps nothing can be compared', () => {
  const siblings = example.siblings.map((one) => ({ ...one, steps: 0 }));
  expect(inputStraggler.judge({ ...example, siblings })).toBeUndefined();
});

test('leaves half of its time to what makes its loader slow', () => {
  const own = inputStraggler.judge(example);
  if (own === undefined) throw new Error('it does not fire');
  const loaders: Judgement = { ...own, claims: ({ phase }) => phase === 'input', claimShare: 1 };
  const judged = [
    { id: 'input-straggler', judgement: own },
    { id: 'slow-getitem', judgement: loaders },
  ];
  const costs = claimCells(judged, example.costs).map(({ cells }) => totalCost(cells));
  expect(costs).toEqual([2e9, 2e9]);
  const places = rules.map(({ id }) => id);
  expect(places.indexOf('input-straggler')).toBeLessThan(places.indexOf('more-workers'));
});
