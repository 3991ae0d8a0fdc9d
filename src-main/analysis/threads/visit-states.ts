import type { TimeSpan } from '../../shared/answers/summary.ts';
import { stateOfTask } from '../../shared/model/task-state.ts';
import { threadLife } from '../../shared/model/thread-life.ts';
import { type ThreadState, threadStates } from '../../shared/model/thread-state.ts';
import type { Trace } from '../../shared/model/trace.ts';
import { upperBoundBy } from '../../shared/numbers/bisect.ts';
import { completeRangesOf } from '../coverage/complete-ranges.ts';
import { traceIndex } from '../index/trace-index.ts';
import { isInFreezer } from './freezer.ts';
import { readyNsOf, throttledUntilNs } from './off-cpu-row.ts';

/** The values of states in columns. */
export const stateCode = Object.fromEntries(
  threadStates.map((state, code) => [state, code]),
) as Readonly<Record<ThreadState, number>>;

/** No row of off_cpu. */
export const NO_ROW = -1;

/**
 * Called for each stretch of a thread's time, in order. `state` is a code of threadStates; `row` the
 * row of off_cpu it is from, -1 = none; `throttled` where a CPU quota kept a runnable thread waiting.
 */
export type StateVisitor = (
  startNs: number,
  endNs: number,
  state: number,
  row: number,
  throttled: boolean,
) => void;

/**
 * What `thread` did over [startNs, endNs): stretches that tile it exactly. Running only where every
 * switch of it is in the trace, dead before its birth and after its exit, else unknown. Off the CPU
 * it is unknown, with its row, where it is not recorded what it waited for, or from when on for a CPU.
 */
export function visitStates(
  trace: Trace,
  thread: number,
  startNs: number,
  endNs: number,
  visit: StateVisitor,
): void {
  if (!(endNs > startNs)) return;
  const { columns } = trace.tables.off_cpu;
  const { rows, startsNs, latestEndsNs } = traceIndex(trace).switchesOf(thread);
  const end = startsNs.lowerBound(endNs);
  // Once for all rows, of which there are millions.
  let life: TimeSpan | undefined;
  const between = (fromNs: number, toNs: number) => {
    if (toNs <= fromNs) return;
    life ??= lifeOf(trace, thread);
    visitBetweenRows(life, completeRangesOf(trace, thread), fromNs, toNs, visit);
  };
  let reachedNs = startNs;
  for (let at = latestEndsNs.upperBound(startNs); at < end && reachedNs < endNs; at++) {
    const row = rows[at];
    const fromNs = Math.max(columns.startNs[row], reachedNs);
    const toNs = Math.min(columns.startNs[row] + columns.durationNs[row], endNs);
    if (toNs <= fromNs) continue;
    between(reachedNs, fromNs);
    visitRow(trace, row, fromNs, toNs, visit);
    reachedNs = toNs;
  }
  between(reachedNs, endNs);
}

/** The part [fromNs, toNs) of an interval off the CPU: what it waited for, throttled, then queued. */
function visitRow(
  trace: Trace,
  row: number,
  fromNs: number,
  toNs: number,
  visit: StateVisitor,
): void {
  const { columns } = trace.tables.off_cpu;
  const readyNs = readyNsOf(columns, row);
  if (Number.isNaN(readyNs)) {
    visit(fromNs, toNs, stateCode.unknown, row, false);
    return;
  }
  const freeNs = throttledUntilNs(columns, row, readyNs);
  if (readyNs > fromNs)
    visit(fromNs, Math.min(readyNs, toNs), stateWhileAsleep(trace, row), row, false);
  const throttledFromNs = Math.max(fromNs, readyNs);
  const throttledToNs = Math.min(freeNs, toNs);
  if (throttledToNs > throttledFromNs)
    visit(throttledFromNs, throttledToNs, stateCode.runnable, row, true);
  const queuedFromNs = Math.max(fromNs, freeNs);
  if (toNs > queuedFromNs) visit(queuedFromNs, toNs, stateCode.runnable, row, false);
}

/** What a thread in the freezer of a control group seems to do. */
const SLEEPS: ReadonlySet<ThreadState> = new Set<ThreadState>(['sleeping', 'uninterruptible']);

/** The state of a row until its thread was ready to run again. */
export function stateWhileAsleep(trace: Trace, row: number): number {
  const state = trace.tables.off_cpu.columns.state?.[row] ?? -1;
  const known = stateOfTask(state, false);
  if (SLEEPS.has(known) && isInFreezer(trace, row)) return stateCode.stopped;
  return stateCode[known === 'uninterruptible' ? stateOfTask(state, isOnDisk(trace, row)) : known];
}

/** Whether the kernel counted the wait as one for I/O, or the thread had block I/O under way. */
function isOnDisk(trace: Trace, row: number): boolean {
  const { columns } = trace.tables.off_cpu;
  if (columns.ioWait?.[row] === 1) return true;
  if (trace.tables.block_io.rows === 0) return false;
  const startNs = columns.startNs[row];
  const endNs = readyNsOf(columns, row);
  const requests = traceIndex(trace).rowsOf('block_io', columns.thread[row]);
  // The first that ends after the wait began ends first reaches the highest end so far itself.
  const first = requests.latestEndsNs.upperBound(startNs);
  return requests.startsNs.nsAt(first) < endNs;
}

/** From switch-in to switch-out, as far as no switch can be missing there. */
function visitBetweenRows(
  [bornNs, diedNs]: TimeSpan,
  complete: readonly TimeSpan[],
  fromNs: number,
  toNs: number,
  visit: StateVisitor,
): void {
  const aliveFromNs = Math.min(toNs, Math.max(fromNs, bornNs));
  const aliveToNs = Math.max(aliveFromNs, Math.min(toNs, diedNs));
  if (aliveFromNs > fromNs) visit(fromNs, aliveFromNs, stateCode.dead, NO_ROW, false);
  visitAlive(complete, aliveFromNs, aliveToNs, visit);
  if (toNs > aliveToNs) visit(aliveToNs, toNs, stateCode.dead, NO_ROW, false);
}

function visitAlive(
  complete: readonly TimeSpan[],
  fromNs: number,
  toNs: number,
  visit: StateVisitor,
): void {
  let reachedNs = fromNs;
  const first = upperBoundBy(complete, fromNs, ([, endNs]) => endNs);
  for (let at = first; at < complete.length; at++) {
    if (complete[at][0] >= toNs) break;
    const startNs = Math.max(reachedNs, complete[at][0]);
    const endNs = Math.min(toNs, complete[at][1]);
    if (startNs > reachedNs) visit(reachedNs, startNs, stateCode.unknown, NO_ROW, false);
    if (endNs > startNs) visit(startNs, endNs, stateCode.running, NO_ROW, false);
    reachedNs = Math.max(reachedNs, endNs);
  }
  if (toNs > reachedNs) visit(reachedNs, toNs, stateCode.unknown, NO_ROW, false);
}

/** From when to when a thread lived; infinite where that is not recorded. */
export function lifeOf(trace: Trace, thread: number): TimeSpan {
  const { rows, startsNs } = traceIndex(trace).switchesOf(thread);
  const [first] = rows;
  const state = trace.tables.off_cpu.columns.state?.[first ?? -1] ?? -1;
  const wait = first === undefined ? undefined : { startNs: startsNs.nsAt(0), state };
  return threadLife(trace.threads[thread], wait);
}
