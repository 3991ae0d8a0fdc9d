import { expect, test } from 'vitest';
import { cell, SECOND } from '../testing/build-facts.ts';
import { exampleFacts } from '../testing/examples.ts';
import { prefetch } from './prefetch.ts';

const judge = (changes = {}) => prefetch.judge(exampleFacts('prefetch', changes));

test('says how much memory more batches take', () => {
  expect(judge()?.fix.text).toContain('up to 8.000 MiB of batches wait in memory');
  expect(judge({ h2d: [] })?.fix.text).toContain('Each batch that waits takes memory.');
});

test('costs no more than the workers had nothing to do', () => {
  const waiting = cell('input', 'worker', 'waiting-for-index', 4 * SECOND);
  const workers = [{ cycles: { running: 6 * SECOND, 'waiting-for-index': SECOND } }];
  const judgement = judge({ costs: [waiting], workers });
  expect(judgement?.claimPart?.(waiting)).toBe(0.25);
  expect(judgement?.sentence).toContain('waited 1.000 s for batches');
});

test('is silent where asking for more wins nothing', () => {
  expect(judge({ ahead: 0 })).toBeUndefined();
  expect(judge({ costs: [cell('input', 'worker', 'running', 5 * SECOND)] })).toBeUndefined();
});
