import { expect, test } from 'vitest';
import type { StepSummary } from '../answers/steps.ts';
import { phaseRows } from './phase-rows.ts';

const steps: StepSummary = {
  basis: 'none',
  note: '',
  count: 0,
  window: [0, 200],
  total: { input: 0, h2d: 20, compute: 30, collective: 0, idle: 0, other: 150 },
  steps: [],
  inputNote: '',
};

test('phases are told in one order, collectives only where there were any', () => {
  const rows = phaseRows({ steps, inputKnown: true });
  expect(rows.map(({ phase }) => phase)).toEqual(['input', 'h2d', 'compute', 'other']);
  expect(rows.reduce((sum, { ns = 0 }) => sum + ns, 0)).toBe(200);
});

test('input wait that cannot be told is not said to be nothing', () => {
  const [input, , , other] = phaseRows({ steps, inputKnown: false });
  expect(input).toMatchObject({ ns: undefined, share: 'not known' });
  expect(other?.label).toBe('Other host time, waiting for input among it');
});

test('of a selection of the calls, no share of the time is told', () => {
  const rows = phaseRows({ steps: { ...steps, isSelection: true }, inputKnown: false });
  expect(rows.map(({ label, share }) => [label, share])).toEqual([
    ['Waiting for input', 'not known'],
    ['Copying to the GPU, in stored calls', ''],
    ['Computing, or waiting for the GPU, in stored calls', ''],
    ['Outside the stored calls', ''],
  ]);
});
