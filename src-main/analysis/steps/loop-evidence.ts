import type { Rank } from '../../shared/jobs.ts';
import { codeOf, wakeContexts } from '../../shared/model/codes.ts';
import type { Trace } from '../../shared/model/trace.ts';
import type { TimeSpan } from '../../shared/summary.ts';
import { firstAbove } from '../thread-switches.ts';
import { traceIndex } from '../trace-index.ts';
import { SIGN_LOADER, SIGN_NONE, stackSigns } from './stack-signs.ts';

/** Moments and stretches of which it is known what the training thread was doing, in order. */
export interface LoopEvidence {
  readonly startsNs: Float64Array;
  /** Equal to the start for a sample. */
  readonly endsNs: Float64Array;
  /** SIGN_OTHER, SIGN_LOADER or SIGN_COLLECTIVE. */
  readonly signs: Uint8Array;
  /** 1 = a wait that a worker or the pin-memory thread ended. */
  readonly isQueueWait: Uint8Array;
  readonly samples: number;
  readonly stacks: number;
  readonly queueWaits: number;
  /** Whether the trace says who ended waits: without, none can be the loader's. */
  readonly knowsWakers: boolean;
}

const TASK = codeOf(wakeContexts, 'task');
/** CPython's threads ask for the interpreter lock again each 5 ms (sys.setswitchinterval). */
const INTERPRETER_LOCK_NS = 5.5e6;

interface Found {
  readonly startNs: number;
  readonly endNs: number;
  readonly sign: number;
  readonly wait: boolean;
}

/** What is known of `rank`'s main thread within `window`. */
export function loopEvidence(trace: Trace, rank: Rank, window: TimeSpan): LoopEvidence {
  const samples = sampled(trace, rank.mainThread, window);
  const off = offCpu(trace, rank, window);
  const all = [...samples, ...off].sort((a, b) => a.startNs - b.startNs);
  const { columns } = trace.tables.off_cpu;
  return {
    startsNs: Float64Array.from(all, ({ startNs }) => startNs),
    endsNs: Float64Array.from(all, ({ endNs }) => endNs),
    signs: Uint8Array.from(all, ({ sign }) => sign),
    isQueueWait: Uint8Array.from(all, ({ wait }) => (wait ? 1 : 0)),
    samples: samples.length,
    stacks: off.reduce((sum, { wait }) => sum + (wait ? 0 : 1), 0),
    queueWaits: off.reduce((sum, { wait }) => sum + (wait ? 1 : 0), 0),
    knowsWakers: columns.waker?.some((waker) => waker >= 0) ?? false,
  };
}

function sampled(trace: Trace, main: number, [fromNs, toNs]: TimeSpan): Found[] {
  const { startNs, thread, stack } = trace.tables.cpu_sample.columns;
  const { signs } = stackSigns(trace);
  const found: Found[] = [];
  for (let row = firstAbove(startNs, fromNs, true); row < startNs.length; row++) {
    if (startNs[row] >= toNs) break;
    if (thread[row] !== main) continue;
    const sign = signs[stack?.[row] ?? -1] ?? SIGN_NONE;
    if (sign === SIGN_NONE) continue;
    found.push({ startNs: startNs[row], endNs: startNs[row], sign, wait: false });
  }
  return found;
}

/** The waits that the loader ended, and the others whose stack is recorded. */
function offCpu(trace: Trace, rank: Rank, [fromNs, toNs]: TimeSpan): Found[] {
  const { columns } = trace.tables.off_cpu;
  const { rows, startsNs } = traceIndex(trace).switchesOf(rank.mainThread);
  const { signs } = stackSigns(trace);
  const isQueueWait = queueWaitTest(trace, rank, rows);
  const found: Found[] = [];
  for (let at = firstAbove(startsNs, fromNs, true); at < rows.length; at++) {
    const row = rows[at];
    const startNs = startsNs[at];
    if (startNs >= toNs) break;
    const endNs = startNs + columns.durationNs[row];
    const wait = isQueueWait(row);
    const sign = wait ? SIGN_LOADER : (signs[columns.stack?.[row] ?? -1] ?? SIGN_NONE);
    if (sign !== SIGN_NONE) found.push({ startNs, endNs, sign, wait });
  }
  return found;
}

/**
 * Whether a wait was for the loader: a thread of a DataLoader worker, or the pin-memory thread, ended
 * it. The pin-memory thread also passes the interpreter lock on: of its wakes only waits too long
 * for that lock count, and those on the same futex as one of them.
 */
function queueWaitTest(trace: Trace, rank: Rank, rows: Uint32Array): (row: number) => boolean {
  const { durationNs, runQueueNs, state, waker, wakerContext, syscallArg0 } =
    trace.tables.off_cpu.columns;
  const isWorker = workerThreads(trace, rank);
  const isPin = new Set(rank.pinThreads);
  const slept = (row: number) =>
    state?.[row] !== 0 && (wakerContext === undefined || wakerContext[row] === TASK);
  const isLong = (row: number) =>
    durationNs[row] - Math.max(0, runQueueNs?.[row] ?? 0) > INTERPRETER_LOCK_NS;
  const futexes = new Set<number>();
  for (const row of rows)
    if (isPin.has(waker?.[row] ?? -1) && slept(row) && isLong(row))
      futexes.add(syscallArg0?.[row] ?? -1);
  futexes.delete(-1);
  return (row) => {
    const by = waker?.[row] ?? -1;
    if (by < 0 || !slept(row)) return false;
    if (isWorker[by] === 1) return true;
    return isPin.has(by) && (isLong(row) || futexes.has(syscallArg0?.[row] ?? -1));
  };
}

/** By thread: 1 where its process is one of the rank's DataLoader workers. */
function workerThreads(trace: Trace, { generations }: Rank): Uint8Array {
  const workers = new Set(generations.flatMap(({ workers: processes }) => processes));
  return Uint8Array.from(trace.threads, ({ process }) => (workers.has(process) ? 1 : 0));
}
