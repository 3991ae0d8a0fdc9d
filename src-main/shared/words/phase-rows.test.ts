import { expect, test } from 'vitest';
import type { Diagnosis } from '../answers/diagnosis.ts';
import type { StepSummary } from '../answers/steps.ts';
import { costsNote, judgedTime, phaseRows, selectionNote } from './phase-rows.ts';

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
  expect(other?.label).toBe('Other host time, including waiting for input');
});

test('of a selection of the calls, no share of the time is told', () => {
  const rows = phaseRows({ steps: { ...steps, isSelection: true }, inputKnown: false });
  expect(rows.map(({ label, share }) => [label, share])).toEqual([
    ['Waiting for input', 'not known'],
    ['Copying to the GPU, in stored calls', ''],
    ['Computing, or waiting for the GPU, in stored calls', ''],
    ['Outside the stored calls', ''],
  ]);
  expect(selectionNote()).toMatch(
    /A wait for the GPU that directly follows a copy counts as copying\.$/,
  );
});

test('the time that is judged is whose loop it is', () => {
  const of = (...kinds: readonly Partial<StepSummary>[]) => {
    const ranks = kinds.map((kind) => ({ steps: { ...steps, ...kind } }));
    return judgedTime({ windowNs: 1e9, ranks } as unknown as Diagnosis);
  };
  expect(of({})).toBe('1.000 s of the training loop');
  expect(of({ infers: true })).toBe('1.000 s of the inference loop');
  expect(of({ serves: true })).toBe('1.000 s of the server');
  expect(of({ loopUnknown: true })).toBe('1.000 s of the process');
  expect(of({ serves: true }, {})).toBe('1.000 s of the training loop in 2 ranks, added up');
  expect(of({ serves: true }, { loopUnknown: true })).toMatch('of the process in 2 ranks');
});

test('of what is taken out is told only where something is', () => {
  const rest = { label: 'Computing', ns: 5 };
  expect(costsNote({ costs: [rest] })).toBe('');
  expect(costsNote({ costs: [rest, { label: 'Few workers', ns: 1, finding: 'a' }] })).toMatch(
    /^The cost of each finding is subtracted/,
  );
});
