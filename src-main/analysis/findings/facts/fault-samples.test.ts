import { expect, test } from 'vitest';
import type { Frame } from '../../../shared/model/stacks.ts';
import { buildTrace } from '../../testing/build-trace.ts';
import { faultsText } from './fault-samples.ts';

const python: Frame = {
  symbol: 'stage',
  file: '/home/user/train.py',
  line: 31,
  language: 'python',
};
const native = (symbol: string): Frame => ({ symbol, file: '', line: 0, language: 'native' });
/** Leaf first. */
const stacks = [
  [native('clear_page'), native('handle_mm_fault'), native('exc_page_fault'), python],
  [native('memcpy'), python],
];

/** What is said of so many samples in a page fault, and beside it. */
function said(faulting: number, others: number): string {
  const all = [...new Array<number>(faulting).fill(0), ...new Array<number>(others).fill(1)];
  const cpu_sample = all.map((stack, at) => ({ startNs: at * 1e6, thread: 0, stack }));
  const trace = buildTrace({ threads: [{ tid: 1 }], stacks, rows: { cpu_sample } });
  return faultsText(
    trace,
    all.map((_, row) => row),
  );
}

test('time in page faults is told from the work on what is there', () => {
  expect(said(60, 40)).toMatch(/^60\.0\s% of its CPU samples there were in page faults/);
  expect(said(20, 80)).toBe('');
});

test('a few samples tell nothing', () => {
  expect(said(20, 0)).toBe('');
});
