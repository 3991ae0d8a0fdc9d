import { expect, test } from 'vitest';
import { buildFacts, cell, SECOND } from '../testing/build-facts.ts';
import { exampleFacts } from '../testing/examples.ts';
import { headOfLine } from './head-of-line.ts';
import { idleWorkers } from './idle-workers.ts';

const costs = [cell('input', 'worker', 'running', 5 * SECOND)];
const generations = [{ workers: [1, 2, 3], startNs: 0, endNs: 10 * SECOND, loader: 0 }];

test('workers that ended before the time that is judged made nothing', () => {
  const judgement = idleWorkers.judge(exampleFacts('idle-workers'));
  expect(judgement?.title).toBe('3 of the 4 DataLoader workers have nothing to do');
  expect(judgement?.sentence).toContain(
    'made no batch, the other one made 50. What the idle ones were',
  );
  expect(judgement?.claimShare).toBe(0.75);
});

test('so do those that are there and make next to none', () => {
  const idle = { batches: 2, cycles: { 'waiting-for-index': 9 * SECOND } };
  const workers = [{ batches: 100 }, { batches: 97 }, idle];
  const judgement = idleWorkers.judge(buildFacts({ costs, generations, workers }));
  expect(judgement?.title).toBe('1 of the 3 DataLoader workers has nothing to do');
  expect(judgement?.sentence).toContain(
    '1 of the 3 DataLoader workers made 2 batches, the other 2 made 197.',
  );
});

test('one whose batches are not known, and that waited for no work, is not called idle', () => {
  const workers = [{ batches: 100 }, { batches: 97 }, { batches: 0 }];
  expect(idleWorkers.judge(buildFacts({ costs, generations, workers }))).toBeUndefined();
});

test('workers that take turns, and a few batches, say nothing', () => {
  const uneven = [{ batches: 30 }, { batches: 24 }, { batches: 19 }];
  expect(idleWorkers.judge(buildFacts({ costs, generations, workers: uneven }))).toBeUndefined();
  const few = [{ batches: 9 }, { batches: 9 }, { batches: 0 }];
  expect(idleWorkers.judge(buildFacts({ costs, generations, workers: few }))).toBeUndefined();
});

test('an epoch that soon ends, and a loop that does not wait for workers, have no such finding', () => {
  const none = { batches: 0, cycles: { 'waiting-for-index': 9 * SECOND } };
  const workers = [{ batches: 100 }, none, none];
  const brief = generations.map((each) => ({ ...each, startNs: 6 * SECOND }));
  expect(idleWorkers.judge(buildFacts({ costs, workers, generations: brief }))).toBeUndefined();
  expect(idleWorkers.judge(buildFacts({ workers, generations }))).toBeUndefined();
});

test('those that wait for work are not held back by a late batch', () => {
  const idle = { startsNs: Float64Array.of(0), endsNs: Float64Array.of(10 * SECOND) };
  const none = { batches: 0, cycles: { 'waiting-for-index': 9 * SECOND }, idle };
  const facts = exampleFacts('head-of-line', {
    generations,
    workers: [{ batches: 100 }, none, none],
  });
  expect(idleWorkers.judge(facts)).toBeDefined();
  expect(headOfLine.judge(facts)).toBeUndefined();
});
