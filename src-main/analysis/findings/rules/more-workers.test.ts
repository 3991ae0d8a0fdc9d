import { expect, test } from 'vitest';
import { gainBound } from '../gain-bound.ts';
import { cell, SECOND } from '../testing/build-facts.ts';
import { exampleFacts } from '../testing/examples.ts';
import { moreWorkers } from './more-workers.ts';

const judge = (changes = {}) => moreWorkers.judge(exampleFacts('more-workers', changes));
const busy = { states: { runningNs: 10 * SECOND }, cycles: { running: 10 * SECOND } };

test('raises the number step by step, as long as one more wins something', () => {
  const costs = [cell('input', 'worker', 'running', 9 * SECOND)];
  expect(judge({ costs })?.fix.title).toBe('Try num_workers=4, then more, up to 8');
  // Beside 5 s of the GPU there are 5 s to win.
  expect(judge()?.fix.title).toBe('Try num_workers=4');
  // Two workers leave one of three CPUs.
  const cpus = { machine: 3, usable: 3, idleShare: 0.3, basis: '' };
  expect(judge({ cpus })?.fix.title).toBe('Try num_workers=3');
});

test('tells what one worker more wins and each further one, with half done batches left out', () => {
  const cpus = { machine: 4, usable: 4, idleShare: 0.6, basis: '' };
  const costs = [cell('input', 'worker', 'running', 9 * SECOND)];
  // 50 batches of 200 ms each.
  expect(judge({ cpus, costs, workers: [busy] })?.sentence).toContain(
    '2 workers save at most 5.200 s, 3 workers 6.867 s, 4 workers 7.500 s.',
  );
});

test('cannot win more than the workers beside those there are can take over', () => {
  const costs = [cell('input', 'worker', 'running', 9 * SECOND)];
  const cpus = { machine: 2, usable: 2, idleShare: 0.4, basis: '' };
  const facts = exampleFacts('more-workers', { cpus, costs, workers: [busy] });
  const judgement = moreWorkers.judge(facts);
  if (judgement === undefined) throw new Error('nothing was found');
  // Two CPUs take 5 s for what one worker computed in 10 s.
  expect(gainBound(facts, judgement)?.gainUpToNs).toBe(5 * SECOND);
});

test('shares the time with slow code, and never has more of it than it can win', () => {
  const costs = [cell('input', 'worker', 'running', 9 * SECOND)];
  expect(judge({ costs })?.claimShare).toBe(0.5);
  // Of a CPU quota of 2.2 only 0.2 is left.
  const cpus = { machine: 4, usable: 2.2, idleShare: 0.3, basis: '' };
  expect(judge({ costs, cpus })?.claimShare).toBeCloseTo((10 - (2 * 10) / 2.2) / 9, 5);
});

test.each([
  [
    'workers wait for an index',
    { workers: [{ cycles: { running: 5e9, 'waiting-for-index': 5e9 } }] },
  ],
  ['workers wait for a CPU', { workers: [{ cycles: { running: 5e9, 'runnable-other': 5e9 } }] }],
  ['what they did is not known', { workers: [{ cycles: { running: 5e9, unknown: 5e9 } }] }],
  ['the CPUs are busy', { cpus: { machine: 8, usable: 8, idleShare: 0.1, basis: '' } }],
  ['nobody knows how busy they are', { cpus: { machine: 8, usable: 8, basis: '' } }],
  ['there is no CPU left', { workers: Array.from({ length: 8 }, () => busy) }],
  ['they wait for a disk', { workers: [{ cycles: { running: 5e9, disk: 5e9 } }] }],
  ['the loop hardly waits', { costs: [cell('input', 'worker', 'running', 0.5 * SECOND)] }],
])('is silent where %s', (_, changes) => {
  expect(judge(changes)).toBeUndefined();
});
