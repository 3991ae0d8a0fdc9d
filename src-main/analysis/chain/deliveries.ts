import type { Rank } from '../../shared/answers/jobs.ts';
import type { Trace } from '../../shared/model/trace.ts';
import { perRoles } from '../index/per-trace.ts';
import { traceIndex } from '../index/trace-index.ts';
import { jobIndex } from '../jobs/job-index.ts';
import { isPollLike } from './wait-calls.ts';
import { wakerOf, wokenNsOf } from './wakes.ts';

/** Moments at which a thread of another process of the rank woke one of the training process, by time. */
export interface Deliveries {
  readonly atNs: Float64Array;
  readonly wakers: Int32Array;
  /** The row of off_cpu that it ended. */
  readonly rows: Uint32Array;
  /**
   * 1 where it ended a wait for a file or pipe to be ready, as the result queue is waited for; the end
   * of a process ends such waits too, and is not among them.
   */
  readonly isPoll: Uint8Array;
}

const ofTrace = perRoles(() => new Map<number, Deliveries>());

/** Who of the rank's other processes woke its training process, and when. */
export function deliveriesTo(trace: Trace, rank: Rank): Deliveries {
  const byRank = ofTrace(trace);
  const found = byRank.get(rank.process) ?? findDeliveries(trace, rank);
  byRank.set(rank.process, found);
  return found;
}

function findDeliveries(trace: Trace, rank: Rank): Deliveries {
  const others = new Set(rank.processes);
  others.delete(rank.process);
  const rows: number[] = [];
  for (const thread of jobIndex(trace).threadsOf(rank.process))
    for (const row of traceIndex(trace).switchesOf(thread).rows) {
      const waker = wakerOf(trace, row);
      if (waker >= 0 && others.has(trace.threads[waker].process)) rows.push(row);
    }
  const wokenNs = new Map(rows.map((row) => [row, wokenNsOf(trace, row)]));
  rows.sort((a, b) => (wokenNs.get(a) ?? 0) - (wokenNs.get(b) ?? 0));
  return {
    atNs: Float64Array.from(rows, (row) => wokenNs.get(row) ?? Number.NaN),
    wakers: Int32Array.from(rows, (row) => wakerOf(trace, row)),
    rows: Uint32Array.from(rows),
    isPoll: Uint8Array.from(rows, (row) => (isPollLike(trace, row) && !isExit(trace, row) ? 1 : 0)),
  };
}

/** What a thread still does in the kernel around the moment in which its end is recorded. */
const EXIT_NS = 50_000;

/** Whether the wait of off-CPU row `row` ended because its waker did. */
export function isExit(trace: Trace, row: number): boolean {
  const waker = wakerOf(trace, row);
  const info = trace.threads[waker];
  if (info === undefined) return false;
  const first = trace.processes[info.process]?.endNs ?? Infinity;
  return wokenNsOf(trace, row) >= Math.min(info.endNs ?? Infinity, first) - EXIT_NS;
}
