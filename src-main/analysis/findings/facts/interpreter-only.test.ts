import { expect, test } from 'vitest';
import type { Frame } from '../../../shared/model/stacks.ts';
import { buildTrace } from '../../testing/build-trace.ts';
import { unnamedText } from './interpreter-only.ts';

const line = (number: number): Frame => ({
  symbol: 'grow',
  file: '/home/user/train.py',
  line: number,
  language: 'python',
});
const native = (symbol: string, file = '/usr/bin/python3.11'): Frame => ({
  ...{ symbol, file, language: 'native' },
});
/** Leaf first. */
const stacks = [
  [native('0x50b6f3'), line(7)],
  [native(''), line(8)],
  [native('0x50caf4'), line(9)],
  [native('PyFloat_FromDouble'), line(9)],
  [native('', '/usr/lib/libblas.so.3'), line(9)],
];

/** What is said of so many samples in each. */
function said(...counts: readonly number[]): string {
  const all = counts.flatMap((count, stack) => new Array<number>(count).fill(stack));
  const cpu_sample = all.map((stack, at) => ({ startNs: at * 1e6, thread: 0, stack }));
  const trace = buildTrace({ threads: [{ tid: 1 }], stacks, rows: { cpu_sample } });
  return unnamedText(
    trace,
    all.map((_, row) => row),
  );
}

test('at one line it is a call of something built in', () => {
  expect(said(30, 1)).toContain('at one line: a built-in call that takes long');
});

test('at several lines a part may be garbage collection, and how to find out is said', () => {
  expect(said(12, 10, 8)).toContain(
    'at 3 lines, in functions that have no name in this build. A part may be garbage collection',
  );
});

test.each([
  ['where named functions are met too', [10, 8, 6, 6]],
  ['in a library', [10, 8, 0, 0, 12]],
  ['of a few samples', [8, 8, 8]],
])('nothing is said %s', (_, counts) => {
  expect(said(...counts)).toBe('');
});
