import { expect, test } from 'vitest';
import { fakeSummary } from '../../timeline/testing/fake-summary.ts';
import { outsideWords } from './outside-words.ts';

test('a stranger held a CPU or a disk only where those are recorded', () => {
  const words = (count: number, rows: Parameters<typeof fakeSummary>[0]) =>
    outsideWords(count, fakeSummary(rows).tables);
  expect(words(6, { on_cpu: 9, block_io: 2 })).toBe(
    '6 processes outside the job held a CPU or a disk meanwhile.',
  );
  expect(words(1, { on_cpu: 9 })).toBe('1 process outside the job held a CPU meanwhile.');
  expect(words(1, {})).toBe('1 process outside the job is in this trace too.');
  expect(words(5, { block_io: 2, wakeup: 4 })).toBe(
    '5 processes outside the job are in this trace too.',
  );
});
