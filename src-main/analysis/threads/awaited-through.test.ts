import { expect, test } from 'vitest';
import { codeOf, wakeContexts } from '../../shared/model/codes.ts';
import { buildTrace, type Row } from '../testing/build-trace.ts';
import { awaitedThrough } from './awaited-through.ts';

const TASK = codeOf(wakeContexts, 'task');
const SOFTIRQ = codeOf(wakeContexts, 'softirq');
const MS = 1e6;
const FUTEX = 202;
const RECVFROM = 45;
const names = [['', 'socket to 10.0.0.2:6379']] as const;
/** Threads 0 to 2 are of one process, 3 of another. */
const threads = [0, 0, 0, 1].map((process, thread) => ({ tid: 10 + thread, process }));

type Wait = Row<'off_cpu'>;

const wait = (thread: number, from: number, to: number, more: Wait): Wait => ({
  ...{ thread, startNs: from * MS, durationNs: (to - from) * MS, state: 1, runQueueNs: 0 },
  ...more,
});
const lock = (thread: number, from: number, to: number, by: number) =>
  wait(thread, from, to, { syscall: FUTEX, file: -1, waker: by, wakerContext: TASK });
const answer = (thread: number, from: number, to: number) =>
  wait(thread, from, to, { syscall: RECVFROM, file: 0, waker: -1, wakerContext: SOFTIRQ });

/** The wait that tells what the first of `waits` was for: its thread, and when it began. */
function awaited(...waits: readonly Wait[]): readonly [thread: number, fromMs: number] {
  const sorted = waits.toSorted((a, b) => (a.startNs ?? 0) - (b.startNs ?? 0));
  const processes = [{ pid: 10 }, { pid: 20 }];
  const machine = { cpuModel: 'Intel Xeon' };
  const trace = buildTrace({ machine, processes, threads, names, rows: { off_cpu: sorted } });
  const { row } = awaitedThrough(trace, sorted.indexOf(waits[0]));
  const { thread, startNs } = trace.tables.off_cpu.columns;
  return [thread[row], startNs[row] / MS];
}

test('a thread of a pool that fetches is looked through, to its longest wait for the server', () => {
  // It gets the interpreter's lock before it lets go.
  const short = [answer(1, 10, 18), answer(1, 19, 59), lock(1, 59.2, 59.8, 2)];
  expect(awaited(lock(0, 10, 60, 1), ...short)).toEqual([1, 19]);
});

test('a thread that mostly did something else is the one that was waited for', () => {
  expect(awaited(lock(0, 10, 60, 1), answer(1, 30, 50))).toEqual([0, 10]);
  expect(awaited(lock(0, 10, 60, 1), lock(1, 10, 59, 2))).toEqual([0, 10]);
});

test('only locks are looked through, and only threads of one process', () => {
  expect(awaited(answer(0, 10, 60), answer(1, 10, 59))).toEqual([0, 10]);
  expect(awaited(lock(0, 10, 60, 3), answer(3, 10, 59))).toEqual([0, 10]);
});
