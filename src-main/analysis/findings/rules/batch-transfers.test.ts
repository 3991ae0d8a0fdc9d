import { expect, test } from 'vitest';
import { cell, SECOND } from '../testing/build-facts.ts';
import { exampleFacts } from '../testing/examples.ts';
import { batchTransfers } from './batch-transfers.ts';

const example = exampleFacts('batch-transfers');

test('counts them by step', () => {
  const judgement = batchTransfers.judge(example);
  expect(judgement?.sentence).toContain('20 copies a step of 8 B on average');
  expect(judgement?.claims).toBeDefined();
});

test('beside large copies the time is not theirs alone: no claim', () => {
  const costs = [cell('h2d', 'main', 'transfer', 5 * SECOND)];
  const judgement = batchTransfers.judge({ ...example, costs });
  expect(judgement).toBeDefined();
  expect(judgement?.claims).toBeUndefined();
});

test('silent without steps, and where a step has few', () => {
  const none = { ...example.steps, basis: 'none' as const };
  expect(batchTransfers.judge({ ...example, steps: none })).toBeUndefined();
  expect(
    batchTransfers.judge({ ...example, steps: { ...example.steps, count: 1000 } }),
  ).toBeUndefined();
});
