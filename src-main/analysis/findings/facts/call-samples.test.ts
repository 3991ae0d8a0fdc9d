import { expect, test } from 'vitest';
import type { Frame } from '../../../shared/model/stacks.ts';
import type { TracePlan } from '../../testing/build-trace.ts';
import { buildFacts, MS } from '../testing/build-facts.ts';
import { systemCallsText } from './call-samples.ts';

const kernel = (symbol: string): Frame => ({ symbol, file: '[kernel]', language: 'native' });
const python: Frame = { symbol: 'load', file: '/home/user/train.py', line: 12, language: 'python' };
/** Leaf first. */
const stacks = [
  [kernel('path_openat'), kernel('do_sys_openat2'), kernel('__x64_sys_openat'), python],
  [kernel('filemap_read'), kernel('vfs_read'), kernel('ksys_read'), python],
  [{ ...python, symbol: 'ksys_read', language: 'native', file: '/opt/lib.so' } as const, python],
];
const [OPENAT, READ, NEITHER] = [0, 1, 2];

/** What is said of so many samples in each, with these rows of calls by thread 1. */
function said(counts: readonly number[], plan: TracePlan = {}): string {
  const all = counts.flatMap((count, stack) => new Array<number>(count).fill(stack));
  const cpu_sample = all.map((stack, at) => ({ startNs: at * MS, thread: 1, stack }));
  const facts = buildFacts({
    workers: [{}],
    trace: {
      names: [['HOST', 'openat']],
      stacks,
      ...plan,
      rows: { cpu_sample, ...plan.rows },
    },
  });
  return systemCallsText(
    facts,
    all.map((_, row) => row),
    [1],
  );
}

const counts: number[] = [];
counts[OPENAT] = 40;
counts[READ] = 15;
counts[NEITHER] = 45;

test('a good part of the time in system calls is told with their names', () => {
  expect(said(counts)).toBe(
    '55.0 % of these CPU samples were in the kernel, in system calls: openat 40.0 %, read 15.0 %.',
  );
  expect(said([20, 5, 75])).toBe('');
  expect(said([20, 0, 0])).toBe('');
});

test('that they are many short ones is said only where every long one would be there', () => {
  const provenance = { syscall: { kind: 'partial', note: '' } } as const;
  expect(said(counts, { provenance })).toMatch(
    /No openat call took 1 ms: there are many short ones\.$/,
  );
  const long = { startNs: MS, durationNs: 2 * MS, thread: 1, op: 0 };
  expect(said(counts, { provenance, rows: { syscall: [long] } })).not.toContain('many short');
  const gap = { startNs: MS, durationNs: MS, lost: 3 };
  expect(said(counts, { provenance, rows: { gap: [gap] } })).not.toContain('many short');
});
