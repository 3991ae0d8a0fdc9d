import { expect, test } from 'vitest';
import { buildFacts, cell, SECOND } from '../testing/build-facts.ts';
import { exampleFacts } from '../testing/examples.ts';
import { idleWorkers } from './idle-workers.ts';

const costs = [cell('input', 'worker', 'running', 5 * SECOND)];
const generations = [{ workers: [1, 2, 3], startNs: 0, endNs: 10 * SECOND, loader: 0 }];

test('workers that ended before the time that is judged made nothing', () => {
  const judgement = idleWorkers.judge(exampleFacts('idle-workers'));
  expect(judgement?.title).toBe('3 of the 4 DataLoader workers have nothing to do');
  expect(judgement?.sentence).toContain('made no batch, the other one made 50:');
  expect(judgement?.claimShare).toBe(0.75);
});

test('so do those that are there and make next to none', () => {
  const workers = [{ batches: 100 }, { batches: 97 }, { batches: 2 }];
  const judgement = idleWorkers.judge(buildFacts({ costs, generations, workers }));
  expect(judgement?.sentence).toContain(
    '1 of the 3 DataLoader workers made 2 batches, the other 2 made 197:',
  );
});

test('workers that take turns, and a few batches, say nothing', () => {
  const uneven = [{ batches: 30 }, { batches: 24 }, { batches: 19 }];
  expect(idleWorkers.judge(buildFacts({ costs, generations, workers: uneven }))).toBeUndefined();
  const few = [{ batches: 9 }, { batches: 9 }, { batches: 0 }];
  expect(idleWorkers.judge(buildFacts({ costs, generations, workers: few }))).toBeUndefined();
});

test('an epoch that soon ends, and a loop that does not wait for workers, have no such finding', () => {
  const workers = [{ batches: 100 }, { batches: 0 }, { batches: 0 }];
  const brief = generations.map((each) => ({ ...each, startNs: 6 * SECOND }));
  expect(idleWorkers.judge(buildFacts({ costs, workers, generations: brief }))).toBeUndefined();
  expect(idleWorkers.judge(buildFacts({ workers, generations }))).toBeUndefined();
});
