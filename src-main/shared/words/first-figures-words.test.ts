import { expect, test } from 'vitest';
import { firstFiguresText, firstTimelineText } from './first-figures-words.ts';

const calls = (isWhole: boolean) => ({ table: 'cuda_call', rows: 640_000, isWhole }) as const;
const noWork = { table: 'gpu_work', rows: 0, isWhole: true } as const;

test('says what first figures are of, and whether they may change', () => {
  expect(firstFiguresText({ tables: [calls(false), noWork] })).toBe(
    'Of the 640,000 CUDA calls that were read first: every figure may change.',
  );
  expect(firstFiguresText({ tables: [calls(true), { ...noWork, rows: 1 }] })).toBe(
    'Of all 640,000 CUDA calls and 1 record of GPU work in the file: its other events are not counted yet.',
  );
  // All calls are read, the GPU's work is not: the figures change.
  expect(firstFiguresText({ tables: [calls(true), { ...noWork, isWhole: false }] })).toMatch(
    /may change/,
  );
});

test('says what a place that is empty in the first timeline means', () => {
  const figures = { operations: [], operationsLeftOut: 0 };
  const timeline = { lengthNs: 1, lanes: [], lanesLeftOut: 0 };
  const whole = firstTimelineText({ ...figures, tables: [calls(true)], timeline });
  expect(whole).not.toMatch(/empty|not shown/);
  const some = { ...timeline, lanesLeftOut: 3 };
  expect(firstTimelineText({ ...figures, tables: [calls(false)], timeline: some })).toMatch(
    /; 3 more are not shown yet\. What is empty may not be read yet\.$/,
  );
});
