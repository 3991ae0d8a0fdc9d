import { expect, test } from 'vitest';
import { noEvents } from '../../../shared/model/event-ref.ts';
import { toldTime } from '../claim-costs.ts';
import { gpuAugment } from '../rules/gpu-augment.ts';
import { slowGetitem } from '../rules/slow-getitem.ts';
import { cell, type FactsPlan, MS, SECOND } from '../testing/build-facts.ts';
import { exampleFacts } from '../testing/examples.ts';
import { sampled } from '../testing/sampled.ts';

/** The loop waits 4 s for a worker that computes, and 2 s for a CPU: three quarters of that while the worker had it. */
const crowded = (counts: Parameters<typeof sampled>[0], ofWorkerNs = 3 * MS): FactsPlan => ({
  costs: [
    cell('input', 'worker', 'running', 4 * SECOND),
    cell('input', 'main', 'runnable-own', 2 * SECOND),
  ],
  neighbours: [
    { process: 1, relation: 'own-rank', ns: ofWorkerNs, events: noEvents },
    { process: 0, relation: 'own-rank', ns: MS, events: noEvents },
    { process: 3, relation: 'other', ns: 50 * MS, events: noEvents },
  ],
  trace: sampled(counts),
});

test('work of the workers has its part of the CPUs that they took from the loop', () => {
  const facts = exampleFacts('slow-getitem', crowded({ item: 40, defaultCollate: 10 }));
  const found = slowGetitem.judge(facts);
  // 3/4 of 2 s were the worker's, and 4/5 of that the dataset's.
  expect(found?.sentence).toMatch(
    /waited 5\.200 s for that, about 1\.200 s of it for a CPU that workers had for that work\.$/,
  );
  expect(found && toldTime(found, facts.costs)).toBe(5.2 * SECOND);
  // It happens in the waits for its batches; the others it only makes longer.
  expect(
    facts.costs.filter((each) => found?.claims?.(each)).map((each) => found?.beside?.(each)),
  ).toEqual([false, true]);
});

test('so has a kind of work that samples show', () => {
  const facts = exampleFacts('gpu-augment', crowded({ transforms: 50 }));
  const found = gpuAugment.judge(facts);
  expect(found?.sentence).toContain(
    'waited 5.500 s for batches that were being made, about 1.500 s of it for a CPU',
  );
  expect(found && toldTime(found, facts.costs)).toBe(5.5 * SECOND);
});

test('it may be more than the loop waited for batches', () => {
  const plan = {
    ...crowded({ item: 40, defaultCollate: 10 }),
    costs: [
      cell('input', 'worker', 'running', SECOND),
      cell('other', 'main', 'runnable-own', 5 * SECOND),
    ],
  };
  const facts = exampleFacts('slow-getitem', plan);
  const found = slowGetitem.judge(facts);
  // 3/4 of 5 s were the worker's, and 4/5 of that the dataset's.
  expect(found && toldTime(found, facts.costs)).toBe(4 * SECOND);
});

test('a CPU that others of the job had is none of it', () => {
  const facts = exampleFacts('slow-getitem', crowded({ item: 50 }, 0));
  const found = slowGetitem.judge(facts);
  expect(found?.sentence).toMatch(/waited 4\.000 s for that\.$/);
  expect(found && toldTime(found, facts.costs)).toBe(4 * SECOND);
});
