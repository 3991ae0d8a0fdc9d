import { expect, test } from 'vitest';
import { cell, SECOND } from '../testing/build-facts.ts';
import { exampleFacts } from '../testing/examples.ts';
import { prefetch } from './prefetch.ts';

const judge = (changes = {}) => prefetch.judge(exampleFacts('prefetch', changes));

test('says how much memory more batches take', () => {
  expect(judge()?.fix.text).toContain('up to 8.000 MiB of batches wait in memory');
  expect(judge({ h2d: [] })?.fix.text).toContain('Each batch that waits takes memory.');
});

test('is silent where asking for more wins nothing', () => {
  expect(judge({ ahead: 0 })).toBeUndefined();
  expect(judge({ costs: [cell('input', 'worker', 'running', 5 * SECOND)] })).toBeUndefined();
});
