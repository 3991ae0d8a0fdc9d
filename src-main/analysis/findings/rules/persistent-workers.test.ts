import { expect, test } from 'vitest';
import { SECOND } from '../testing/build-facts.ts';
import { exampleFacts } from '../testing/examples.ts';
import { persistentWorkers } from './persistent-workers.ts';

const judge = (changes = {}) =>
  persistentWorkers.judge(exampleFacts('persistent-workers', changes));

test('counts how often the workers were started', () => {
  const judgement = judge();
  expect(judgement?.sentence).toContain(
    '1 DataLoader worker was started 3 times, from the second time on after the one before had ended.',
  );
  const twice = [0, 1].map((at) => ({
    ...{ workers: [1, 2, 3], startNs: at * 5 * SECOND, endNs: (at + 1) * 5 * SECOND, loader: 0 },
  }));
  expect(judge({ generations: twice })?.sentence).toContain(
    '3 DataLoader workers were started 2 times, the second time after the first ones had ended.',
  );
  expect(judgement?.evidence[0]?.events.count).toBe(3);
  expect(judgement?.gainShare).toBeCloseTo(2 / 3);
});

test('is silent where workers stay, or belong to loaders that live at the same time', () => {
  expect(judge({ workers: [{}, {}] })).toBeUndefined();
  const generations = [
    { workers: [1], startNs: 0, endNs: 5 * SECOND, loader: 0 },
    { workers: [2], startNs: SECOND, endNs: 6 * SECOND, loader: 1 },
    // Nothing says that the one before had ended.
    { workers: [3], startNs: 2 * SECOND, loader: 0 },
  ];
  expect(judge({ generations })).toBeUndefined();
});
