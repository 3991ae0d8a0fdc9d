import { expect, test } from 'vitest';
import { gainBound } from '../gain-bound.ts';
import { gpuAugment } from '../rules/gpu-augment.ts';
import { pretokenize } from '../rules/pretokenize.ts';
import { vectorCollate } from '../rules/vector-collate.ts';
import { cell, SECOND } from '../testing/build-facts.ts';
import { exampleFacts } from '../testing/examples.ts';
import { sampled } from '../testing/sampled.ts';

const kinds = [
  [gpuAugment, 'transforms'],
  [pretokenize, 'tokenizing'],
  [vectorCollate, 'collate'],
] as const;

test.each(kinds)('half of the samples must show it', (rule, kind) => {
  const judge = (counts: Parameters<typeof sampled>[0]) =>
    rule.judge(exampleFacts(rule.id, { trace: sampled(counts) }));
  expect(judge({ [kind]: 20, item: 20 })?.sentence).toContain('50.0 %');
  expect(judge({ [kind]: 19, item: 21 })).toBeUndefined();
  // Too few to say so.
  expect(judge({ [kind]: 20 })).toBeUndefined();
});

test('the function that the loader called is to blame', () => {
  const culprits = kinds.map(([rule]) => rule.judge(exampleFacts(rule.id))?.culprit);
  expect(culprits).toEqual(['Rows.__getitem__', 'Rows.__getitem__', 'pad']);
});

test.each(kinds)('the loop must have waited for workers on a CPU', (rule) => {
  const costs = [cell('input', 'worker', 'disk', 4 * SECOND)];
  expect(rule.judge(exampleFacts(rule.id, { costs }))).toBeUndefined();
});

test('no more can be won than the work takes of the time', () => {
  const costs = [cell('input', 'worker', 'running', 9 * SECOND)];
  const trace = sampled({ transforms: 30, item: 20 });
  const workers = [{ cycles: { running: 9 * SECOND } }, { cycles: { running: 9 * SECOND } }];
  const facts = exampleFacts('gpu-augment', { costs, trace, workers });
  const judgement = gpuAugment.judge(facts);
  if (judgement === undefined) throw new Error('nothing was found');
  const { gainUpToNs = 0 } = gainBound(facts, judgement) ?? {};
  // 20 of 50 samples are of work that stays: a quarter of 9 s at least, for each of the two workers.
  expect(gainUpToNs).toBeGreaterThan(0.6 * 9 * SECOND);
  expect(gainUpToNs).toBeLessThan(8 * SECOND);
});
