import { expect, test } from 'vitest';
import { gainBound } from '../gain-bound.ts';
import { cell, SECOND } from '../testing/build-facts.ts';
import { exampleFacts } from '../testing/examples.ts';
import { moreWorkers } from './more-workers.ts';

const judge = (changes = {}) => moreWorkers.judge(exampleFacts('more-workers', changes));
const busy = { cycles: { running: 10 * SECOND } };

test('raises the number step by step, up to the CPUs there are', () => {
  expect(judge()?.fix.title).toBe('Try num_workers=4, then more, up to 7');
  const cpus = { machine: 4, usable: 4, idleShare: 0.4, basis: '' };
  expect(judge({ cpus })?.fix.title).toBe('Try num_workers=3');
});

test('cannot win more than the workers beside those there are can take over', () => {
  const costs = [cell('input', 'worker', 'running', 9 * SECOND)];
  const cpus = { machine: 4, usable: 4, idleShare: 0.4, basis: '' };
  const facts = exampleFacts('more-workers', { cpus, costs });
  const judgement = moreWorkers.judge(facts);
  if (judgement === undefined) throw new Error('nothing was found');
  // Two workers instead of three for as many batches in 10 s.
  expect(gainBound(facts, judgement)?.gainUpToNs).toBeCloseTo((1 - 2 / 3) * 10 * SECOND, -1);
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
  ['there is no CPU left', { workers: Array.from({ length: 7 }, () => busy) }],
  ['the loop hardly waits', { costs: [cell('input', 'worker', 'running', 0.5 * SECOND)] }],
])('is silent where %s', (_, changes) => {
  expect(judge(changes)).toBeUndefined();
});
