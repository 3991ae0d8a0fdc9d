import { expect, test } from 'vitest';
import { cell, SECOND } from '../testing/build-facts.ts';
import { exampleFacts } from '../testing/examples.ts';
import { sampled } from '../testing/sampled.ts';
import { workersZero } from './workers-zero.ts';

const judge = (changes = {}) => workersZero.judge(exampleFacts('workers-zero', changes));

test('gives a number of workers to begin with', () => {
  expect(judge()?.fix.title).toBe('Set num_workers=3');
  const many = { machine: 64, usable: 64, basis: '' };
  expect(judge({ cpus: many })?.fix.title).toBe('Set num_workers=8');
  expect(judge({ cpus: { machine: 0, usable: 0, basis: '' } })?.fix.title).toBe(
    'Set num_workers=1',
  );
});

test('is silent where a worker was seen, or nothing shows who loads', () => {
  expect(judge({ workers: [{}] })).toBeUndefined();
  expect(judge({ trace: {} })).toBeUndefined();
  expect(judge({ trace: sampled({ item: 10 }, 0) })).toBeUndefined();
});

test('is silent where loading takes next to nothing', () => {
  expect(judge({ costs: [cell('input', 'main', 'running', 0.05 * SECOND)] })).toBeUndefined();
});
