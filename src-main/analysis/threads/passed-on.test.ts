import { expect, test } from 'vitest';
import { codeOf, wakeContexts } from '../../shared/model/codes.ts';
import { buildTrace, type Row } from '../testing/build-trace.ts';
import { passedOnFrom } from './passed-on.ts';

const TASK = codeOf(wakeContexts, 'task');
const SOFTIRQ = codeOf(wakeContexts, 'softirq');
const MS = 1e6;
/** Threads 0 to 2 are of one process, 3 of another. */
const threads = [0, 0, 0, 1].map((process, thread) => ({ tid: 10 + thread, process }));

type Wait = Row<'off_cpu'>;

const wait = (thread: number, from: number, to: number, by: number, more: Wait = {}): Wait => ({
  ...{ thread, startNs: from * MS, durationNs: (to - from) * MS, state: 1, runQueueNs: 0 },
  ...{ waker: by, wakerContext: by < 0 ? SOFTIRQ : TASK, ...more },
});

/** Whose wait in truth ended the first of `waits`: its thread, and who ended that. */
function endOf(...waits: readonly Wait[]): readonly [thread: number, by: number] {
  const sorted = waits.toSorted((a, b) => (a.startNs ?? 0) - (b.startNs ?? 0));
  const trace = buildTrace({
    processes: [{ pid: 10 }, { pid: 20 }],
    threads,
    rows: { off_cpu: sorted },
  });
  const row = passedOnFrom(trace, sorted.indexOf(waits[0]));
  const { thread, waker } = trace.tables.off_cpu.columns;
  return [thread[row], waker?.[row] ?? -1];
}

test('a thread that waited meanwhile itself is looked through, one after the other', () => {
  const first = wait(0, 10, 60, 1);
  expect(endOf(first, wait(1, 5, 59.9, 3))).toEqual([1, 3]);
  expect(endOf(first, wait(1, 5, 59.9, 2), wait(2, 2, 59.8, -1))).toEqual([2, -1]);
});

test('many short waits of it count together, and its last one tells', () => {
  const slices = [10, 20, 30, 40, 50].map((from) => wait(1, from, from + 9.5, -1));
  expect(endOf(wait(0, 10, 60, 1), ...slices.slice(0, -1), wait(1, 50, 59.9, 3))).toEqual([1, 3]);
});

test('what a thread waited for shortly before it passed on is followed too', () => {
  const long = wait(1, 10, 59, 2);
  const short = wait(1, 59.5, 59.6, 2);
  expect(
    endOf(wait(0, 10, 60, 1), long, short, wait(2, 9, 58.9, -1), wait(2, 59, 59.55, -1)),
  ).toEqual([2, -1]);
});

test('a thread that did something itself ended the wait', () => {
  expect(endOf(wait(0, 10, 60, 1), wait(1, 5, 30, 3))).toEqual([0, 1]);
  const preempted = wait(1, 10, 59, -1, { state: 0, wakerContext: 0 });
  expect(endOf(wait(0, 10, 60, 1), preempted)).toEqual([0, 1]);
});

test('another process, an interrupt or nobody known is the end', () => {
  expect(endOf(wait(0, 10, 60, 3), wait(3, 5, 59.9, 1))).toEqual([0, 3]);
  expect(endOf(wait(0, 10, 60, -1))).toEqual([0, -1]);
});

test('threads that end each other’s waits are followed for a while only', () => {
  const row = endOf(wait(0, 10, 60, 1), wait(1, 9, 59.9, 0), wait(0, 8, 9.5, 1));
  expect(row[0]).toBeLessThan(2);
});
