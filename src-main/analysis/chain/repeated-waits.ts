import type { Trace } from '../../shared/model/trace.ts';
import { traceIndex } from '../index/trace-index.ts';
import { isFutex } from './wait-calls.ts';
import { wakeContextOf, wakerOf } from './wakes.ts';

/** A thread that looks again whether its lock is free is on the CPU no longer than this in between. */
const BETWEEN_NS = 1e6;

/**
 * A condition variable of glibc has two futex words, 4 bytes apart, which take turns
 * (nptl/pthread_cond_wait.c): waits for one and for the other are for the same lock.
 */
const WORDS_APART = 4;

/**
 * Where the waits for the lock of off-CPU row `row` began that ran into their timeout and were at once
 * repeated, as waits for Python's interpreter lock do every 5 ms.
 */
export function lockSeriesStartNs(trace: Trace, row: number): number {
  const { startNs } = trace.tables.off_cpu.columns;
  const { rows, startsNs } = traceIndex(trace).switchesOf(trace.tables.off_cpu.columns.thread[row]);
  let at = startsNs.upperBound(startNs[row]) - 1;
  while (at > 0 && isRepeated(trace, rows[at - 1], rows[at])) at--;
  return Math.min(startNs[row], startNs[rows[at]]);
}

/** Who ended the last of the repeated waits that `row` is one of; -1 = not known. */
export function lockHolder(trace: Trace, row: number): number {
  const { startNs, thread } = trace.tables.off_cpu.columns;
  const { rows, startsNs } = traceIndex(trace).switchesOf(thread[row]);
  let at = startsNs.upperBound(startNs[row]) - 1;
  while (at + 1 < rows.length && isRepeated(trace, rows[at], rows[at + 1])) at++;
  return wakerOf(trace, rows[at]);
}

/** Whether `later` is the same wait again, after `earlier` ran into its timeout. */
function isRepeated(trace: Trace, earlier: number, later: number): boolean {
  const { startNs, durationNs, syscallArg0 } = trace.tables.off_cpu.columns;
  if (wakeContextOf(trace, earlier) !== 'timer') return false;
  if (!isFutex(trace, earlier) || !isFutex(trace, later)) return false;
  const [before, after] = [syscallArg0?.[earlier] ?? -1, syscallArg0?.[later] ?? -1];
  if (before < 0 || Math.abs(before - after) > WORDS_APART) return false;
  return startNs[later] - (startNs[earlier] + durationNs[earlier]) <= BETWEEN_NS;
}
