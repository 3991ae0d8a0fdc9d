import { expect, test } from 'vitest';
import { inputTimeLines } from '../../shared/words/input-time-words.ts';
import { inputBreakdown } from './input-breakdown.ts';
import { buildFacts, cell, type FactsPlan, MS, SECOND } from './testing/build-facts.ts';
import { sampled, sampledThreads } from './testing/sampled.ts';

const plan: FactsPlan = {
  workers: [{ cycles: { running: 4 * SECOND, disk: SECOND } }],
  costs: [
    cell('input', 'worker', 'running', 4 * SECOND),
    cell('input', 'worker', 'disk', SECOND),
    cell('input', 'main', 'running', 500 * MS),
    cell('input', 'worker', 'sending', 20 * MS),
    cell('other', 'main', 'running', 2 * SECOND),
  ],
};

const told = (more: FactsPlan = {}) => inputBreakdown(buildFacts({ ...plan, ...more }));

test('what workers did on a CPU is told by function, as CPU samples show it', () => {
  const trace = sampled({ item: 20, picking: 4, collate: 6, defaultCollate: 8, waiting: 2 });
  const parts = told({ trace })?.parts.map(({ text, ns }) => [text, ns]);
  expect(parts).toEqual([
    ['a worker was on a CPU, in decode (train.py:12)', 2 * SECOND],
    ['a worker waited for a disk', SECOND],
    ['a worker was on a CPU, in default_collate, which joins samples to a batch', 800 * MS],
    ['a worker was on a CPU, in pad (train.py:30)', 600 * MS],
    ['the loop itself was on a CPU, in the loader', 500 * MS],
    ['a worker was on a CPU, in TensorDataset.__getitem__ (dataset.py:196)', 400 * MS],
    ['a worker was on a CPU, in the loader’s own code', 200 * MS],
  ]);
});

test('its lines sum to the wait, what is small together', () => {
  const trace = sampled({ item: 100 });
  const all = told({ trace });
  expect(all?.ns).toBe(5.52 * SECOND);
  expect((all?.parts ?? []).reduce((sum, { ns }) => sum + ns, all?.restNs ?? 0)).toBe(all?.ns);
  expect(all?.restNs).toBe(20 * MS);
  const { steps, inputKnown } = buildFacts(plan);
  if (all === undefined) throw new Error('no lines');
  const lines = inputTimeLines({ steps, inputKnown, inputTime: all });
  expect(lines[0]).toBe('Waiting for input, 55.2 % (5.520 s), by what went on meanwhile:');
  expect(lines[1]).toBe('40.0 % (4.000 s): a worker was on a CPU, in decode (train.py:12)');
  expect(lines.at(-1)).toBe('0.2 % (20.00 ms): many small parts, or not known');
});

test('few samples tell no function', () => {
  expect(told({ trace: sampled({ item: 20 }) })?.parts[0]).toEqual({
    text: 'a worker was on a CPU',
    ns: 4 * SECOND,
  });
});

test('without workers the loop itself made the batches', () => {
  const trace = sampled({ item: 40 }, 0);
  const costs = [cell('input', 'main', 'running', 3 * SECOND)];
  expect(told({ workers: [], costs, trace })?.parts).toEqual([
    { text: 'the loop itself was on a CPU, in decode (train.py:12)', ns: 3 * SECOND },
  ]);
});

test('and picks the samples itself', () => {
  const trace = sampledThreads([{ item: 30, pickingOwn: 10 }, 0]);
  const costs = [cell('input', 'main', 'running', 4 * SECOND)];
  expect(told({ workers: [], costs, trace })?.parts).toEqual([
    { text: 'the loop itself was on a CPU, in decode (train.py:12)', ns: 3 * SECOND },
    { text: 'the loop itself was on a CPU, in the loader, its sampler included', ns: SECOND },
  ]);
});

test('little waiting has no lines', () => {
  expect(told({ costs: [cell('input', 'worker', 'running', 900 * MS)] })).toBeUndefined();
});
