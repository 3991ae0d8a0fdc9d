import type { Rank } from '../../shared/answers/jobs.ts';
import type { TimeSpan } from '../../shared/answers/summary.ts';
import { codeOf, wakeContexts } from '../../shared/model/codes.ts';
import { hostOfThread } from '../../shared/model/hosts.ts';
import { syscallName } from '../../shared/model/syscall-names.ts';
import type { Trace } from '../../shared/model/trace.ts';
import { traceIndex } from '../index/trace-index.ts';

/**
 * A thread that wants the interpreter’s lock waits 5 ms (sys.getswitchinterval()), asks the holder to
 * let go, and waits again: take_gil() in CPython’s Python/ceval_gil.h. A timer ends the first wait;
 * it may be late by its slack and the interrupts before it.
 */
const SWITCH_INTERVAL_NS = { from: 4.9e6, to: 6e6 };
/** Both futexes of one glibc condition variable, __g_signals, lie in 8 bytes. */
const CONDITION_BYTES = 8;
/** FUTEX_WAIT and FUTEX_WAIT_BITSET, without FUTEX_PRIVATE_FLAG and FUTEX_CLOCK_REALTIME. */
const FUTEX_WAITS: readonly number[] = [0, 9];
const FUTEX_FLAGS = 0x80 | 0x100;
/** Fewer may be chance: another lock that is waited for with a timeout. */
const MIN_TIMEOUTS = 10;
const MIN_HANDOVERS = 5;
/**
 * Whoever calls much that lets go of the interpreter, and takes it again at once, wakes the next one each time long before 5 ms are
 * up; that finds it taken, and waits on. So often in vain nobody is woken for anything else.
 */
const MANY_VAIN = 1000;
const VAIN_SHARE = 0.75;
/** From waking up to the next wait, where it was in vain. */
const VAIN_NS = 100e3;

/** Waits of the main thread on one condition variable. */
export interface InterpreterWaits {
  ns: number;
  timeouts: number;
  rows: number[];
  /** How often each thread of the process ended one. */
  readonly wakers: Map<number, number>;
  /** Ended by somebody else than a timer or a thread of the process. */
  strangers: number;
  /** Those after which it waited again at once. */
  vain: number;
}

/** The condition variable that is waited for as CPython waits for its lock, with the most time. */
export function interpreterWaits(
  trace: Trace,
  rank: Rank,
  window: TimeSpan,
): InterpreterWaits | undefined {
  return [...waitsByCondition(trace, rank, window).values()]
    .filter((waits) => {
      const handovers = [...waits.wakers.values()].reduce((sum, count) => sum + count, 0);
      const isOwn = handovers >= MIN_HANDOVERS && handovers > waits.strangers;
      return isOwn && (waits.timeouts >= MIN_TIMEOUTS || areVain(waits));
    })
    .toSorted((a, b) => b.ns - a.ns)
    .at(0);
}

const areVain = ({ vain, rows }: InterpreterWaits): boolean =>
  vain >= MANY_VAIN && vain >= rows.length * VAIN_SHARE;

function waitsByCondition(
  trace: Trace,
  rank: Rank,
  window: TimeSpan,
): Map<number, InterpreterWaits> {
  const byCondition = new Map<number, InterpreterWaits>();
  const { columns } = trace.tables.off_cpu;
  const { syscallArg0 } = columns;
  const { rows, startsNs } = traceIndex(trace).switchesOf(rank.mainThread);
  const end = startsNs.lowerBound(window[1]);
  for (let at = startsNs.lowerBound(window[0]); at < end; at++) {
    const row = rows[at];
    if (syscallArg0 === undefined || !isFutexWait(trace, row)) continue;
    const key = Math.floor(syscallArg0[row] / CONDITION_BYTES);
    const waits = byCondition.get(key) ?? emptyWaits();
    byCondition.set(key, waits);
    const last = waits.rows.at(-1) ?? row;
    const sinceNs = columns.startNs[row] - columns.startNs[last] - columns.durationNs[last];
    if (last !== row && sinceNs <= VAIN_NS) waits.vain++;
    waits.ns += columns.durationNs[row];
    waits.rows.push(row);
    countEnd(trace, waits, row, rank.process);
  }
  return byCondition;
}

function emptyWaits(): InterpreterWaits {
  return { ns: 0, timeouts: 0, rows: [], wakers: new Map(), strangers: 0, vain: 0 };
}

/** What ended the wait: its timeout, a thread of the process, or somebody else. */
function countEnd(trace: Trace, waits: InterpreterWaits, row: number, process: number): void {
  const { columns } = trace.tables.off_cpu;
  const sleptNs = columns.durationNs[row] - Math.max(0, columns.runQueueNs?.[row] ?? 0);
  const waker = columns.waker?.[row] ?? -1;
  const isTask = columns.wakerContext?.[row] === codeOf(wakeContexts, 'task');
  const isInterval = sleptNs >= SWITCH_INTERVAL_NS.from && sleptNs <= SWITCH_INTERVAL_NS.to;
  if (!isTask && isInterval) waits.timeouts += 1;
  else if (trace.threads[waker]?.process === process)
    waits.wakers.set(waker, (waits.wakers.get(waker) ?? 0) + 1);
  else waits.strangers += 1;
}

function isFutexWait(trace: Trace, row: number): boolean {
  const { syscall, syscallArg1, thread } = trace.tables.off_cpu.columns;
  const operation = (syscallArg1?.[row] ?? -1) & ~FUTEX_FLAGS;
  return (
    syscall !== undefined &&
    syscallName(syscall[row], hostOfThread(trace, thread[row])) === 'futex' &&
    FUTEX_WAITS.includes(operation)
  );
}
