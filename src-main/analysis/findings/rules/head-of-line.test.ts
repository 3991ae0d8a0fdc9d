import { expect, test } from 'vitest';
import { cell, SECOND } from '../testing/build-facts.ts';
import { exampleFacts } from '../testing/examples.ts';
import { headOfLine } from './head-of-line.ts';

const judge = (changes = {}) => headOfLine.judge(exampleFacts('head-of-line', changes));
const never = { startsNs: new Float64Array(), endsNs: new Float64Array() };

test('tells waits in which others had finished', () => {
  const judgement = judge();
  expect(judgement?.sentence).toContain('For 100 % of the time of the 2 longest waits');
  expect(judgement?.fix.after).toContain('in_order');
});

test('is silent where every worker had work, or only one lives', () => {
  expect(judge({ workers: [{ idle: never }, { idle: never }] })).toBeUndefined();
  expect(judge({ workers: [{ idle: never }] })).toBeUndefined();
  // Not known.
  expect(judge({ workers: [{}, {}] })).toBeUndefined();
});

test('is silent where the workers together are too slow in any order', () => {
  // 100 steps of 65 ms without their waits; 3 workers, 80 s for 300 batches: one in 89 ms, or in 44 ms.
  const example = exampleFacts('head-of-line');
  const steps = { ...example.steps, count: 100 };
  const split = { ...example.split, input: 3.5 * SECOND };
  const judgeMaking = (seconds: number) => {
    const workers = example.workers.map((worker) => ({
      ...worker,
      batches: 100,
      cycles: { ...worker.cycles, running: (seconds * SECOND) / 3 },
    }));
    return headOfLine.judge({ ...example, steps, split, workers });
  };
  expect(judgeMaking(80)).toBeUndefined();
  expect(judgeMaking(40)).toBeDefined();
});

test('is silent where only the lesser part of the waiting was so', () => {
  const spans = [
    [5 * SECOND, 6 * SECOND],
    [7 * SECOND, 10 * SECOND],
  ] as const;
  const costs = [cell('input', 'worker', 'running', 4 * SECOND, { spans })];
  expect(judge({ costs })).toBeUndefined();
});

test('is silent where the batch is late for want of a CPU', () => {
  const spans = [[5 * SECOND, 7 * SECOND]] as const;
  const costs = [
    cell('input', 'worker', 'running', SECOND, { spans }),
    cell('input', 'worker', 'runnable-other', 3 * SECOND, { spans }),
  ];
  expect(judge({ costs })).toBeUndefined();
});
