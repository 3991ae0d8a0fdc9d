import type { Rank } from '../../shared/answers/jobs.ts';
import type { Trace } from '../../shared/model/trace.ts';
import { traceIndex } from '../index/trace-index.ts';
import { isExit } from './deliveries.ts';
import { wakerOf, wokenNsOf } from './wakes.ts';

/** Which process of the rank ended a wait of the training process. */
export interface BatchSource {
  readonly process: number;
  /** Its thread that did so: the feeder, the one that hands over memory, or its main one. */
  readonly thread: number;
  /** Since when the first thread of the training process on the way had waited, and when it woke it. */
  readonly sinceNs: number;
  readonly atNs: number;
  /** The thread of the training process that passed it on: the pin-memory thread; -1 = none. */
  readonly through: number;
  /** It did so by ending. */
  readonly isEnd: boolean;
}

/**
 * The worker that ended the wait of off-CPU row `row` of the training process: it woke the thread
 * itself, or another thread of the process that went on to wake it.
 */
export function sourceOf(trace: Trace, rank: Rank, row: number): BatchSource | undefined {
  const waker = wakerOf(trace, row);
  if (waker < 0) return undefined;
  const atNs = wokenNsOf(trace, row);
  const sinceNs = trace.tables.off_cpu.columns.startNs[row];
  const process = trace.threads[waker].process;
  if (process !== rank.process)
    return rank.processes.includes(process)
      ? { process, thread: waker, sinceNs, atNs, through: -1, isEnd: isExit(trace, row) }
      : undefined;
  return sourceThrough(trace, rank, waker, sinceNs, atNs);
}

/** The last wake of `through` by another process of the rank, in [sinceNs, atNs). */
function sourceThrough(
  trace: Trace,
  rank: Rank,
  through: number,
  sinceNs: number,
  atNs: number,
): BatchSource | undefined {
  const { rows, startsNs } = traceIndex(trace).switchesOf(through);
  for (let at = startsNs.lowerBound(atNs) - 1; at >= 0; at--) {
    const wokenNs = wokenNsOf(trace, rows[at]);
    if (!(wokenNs >= sinceNs)) return undefined;
    const waker = wakerOf(trace, rows[at]);
    const process = waker < 0 ? -1 : trace.threads[waker].process;
    if (process >= 0 && process !== rank.process && rank.processes.includes(process))
      return {
        ...{ process, thread: waker, through, isEnd: isExit(trace, rows[at]) },
        ...{ sinceNs: startsNs.nsAt(at), atNs: wokenNs },
      };
  }
  return undefined;
}
