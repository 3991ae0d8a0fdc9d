import { expect, test } from 'vitest';
import { cell, MS, SECOND } from '../testing/build-facts.ts';
import { exampleFacts } from '../testing/examples.ts';
import { sampled } from '../testing/sampled.ts';
import { workersZero } from './workers-zero.ts';

const judge = (changes = {}) => workersZero.judge(exampleFacts('workers-zero', changes));

test('gives a number of workers to begin with', () => {
  expect(judge()?.fix.title).toBe('Set num_workers=3');
  const many = { machine: 64, usable: 64, basis: '' };
  expect(judge({ cpus: many })?.fix.title).toBe('Set num_workers=8');
  expect(judge({ cpus: { machine: 0, usable: 0, basis: '' } })?.fix.title).toBe(
    'Set num_workers=4',
  );
});

test('is silent where a worker was seen, or nothing shows who loads', () => {
  expect(judge({ workers: [{}], trace: sampled({ item: 40 }, 1) })).toBeUndefined();
  expect(judge({ trace: {} })).toBeUndefined();
  expect(judge({ trace: sampled({ item: 10 }, 0) })).toBeUndefined();
});

test('tells of a loader without workers that stands before one with workers', () => {
  const found = judge({ workers: [{}], trace: sampled({ item: 40, step: 9 }, 0) });
  expect(found?.culprit).toBe('decode');
  expect(found?.title).toContain('beside its workers, in decode (train.py:12)');
  expect(found?.sentence).toContain('There are workers, but not of the loader');
  const taken = sampled({ item: 40, unpickling: 50 }, 0);
  expect(judge({ workers: [{}], trace: taken })).toBeUndefined();
});

/** Waits of 100 ms each with the stack of that number: see sampled(). */
function asleep(counts: readonly (readonly [stack: number, count: number])[]) {
  const stacks = counts.flatMap(([stack, count]) => Array.from({ length: count }, () => stack));
  const off_cpu = stacks.map((stack, at) => ({
    startNs: at * 100 * MS,
    durationNs: 100 * MS,
    thread: 0,
    state: 1,
    stack,
  }));
  const { stacks: known = [], rows } = sampled({ item: 3 }, 0);
  return { stacks: known, rows: { ...rows, off_cpu } };
}

const [IN_ITEM, IN_STEP] = [0, 6];

test('tells a loop that sleeps in its dataset by the stacks of these waits', () => {
  const costs = [cell('input', 'main', 'sleeping', 6 * SECOND)];
  const trace = asleep([
    [IN_ITEM, 40],
    [IN_STEP, 10],
  ]);
  const place = { function: 'Rows.__getitem__', file: '/home/user/train.py', line: 20 };
  const line = { ...place, language: 'python', samples: 40, share: 1, offCpuNs: 4 * SECOND };
  const found = judge({ costs, trace, hotLines: () => [line] });
  expect(found?.sentence).toContain(
    'which took 6.000 s. Most of that time it slept, mostly in Rows.__getitem__ (train.py:20).',
  );
  expect(found?.evidence.map(({ text }) => text)).toContainEqual(
    '40 waits of it, 4.000 s in all, were there too',
  );
  expect(judge({ costs, trace: asleep([[IN_STEP, 40]]) })).toBeUndefined();
});

test('is silent where loading takes next to nothing', () => {
  expect(judge({ costs: [cell('input', 'main', 'running', 0.05 * SECOND)] })).toBeUndefined();
});

test('leaves memory that is pinned anew to its own rule', () => {
  const claims = judge()?.claims;
  const [running, pinning] = (['running', 'allocation'] as const).map((cause) =>
    claims?.(cell('input', 'main', cause, SECOND)),
  );
  expect([running, pinning]).toEqual([true, false]);
});
