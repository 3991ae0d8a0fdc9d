import { isReady } from '../../shared/model/task-state.ts';
import type { Trace } from '../../shared/model/trace.ts';
import { lowerBoundBy } from '../../shared/numbers/bisect.ts';
import { completeRangesOf } from '../coverage/complete-ranges.ts';
import { traceIndex } from '../index/trace-index.ts';
import { lifeOf } from '../threads/visit-states.ts';
import { wokenNsOf } from './wakes.ts';

/**
 * What a thread was doing up to a moment, and since when. `off-cpu`: not on a CPU, but not recorded
 * whether runnable or blocked. `unknown`: its switches there are not all in the trace.
 */
export interface Moment {
  readonly kind: 'running' | 'runnable' | 'blocked' | 'off-cpu' | 'dead' | 'unknown';
  /** Where this stretch begins; -Infinity where nothing is stored before. */
  readonly startNs: number;
  /** Row of off_cpu; -1 = none. */
  readonly row: number;
}

/** What `thread` was doing right before `atNs`. */
export function momentBefore(trace: Trace, thread: number, atNs: number): Moment {
  const { rows, startsNs, latestEndsNs } = traceIndex(trace).switchesOf(thread);
  const last = startsNs.lowerBound(atNs) - 1;
  const sinceNs = last < 0 ? -Infinity : latestEndsNs.nsAt(last);
  if (sinceNs < atNs) return betweenSwitches(trace, thread, sinceNs, atNs);
  return withinRow(trace, rowReaching(trace, rows, last, atNs), atNs);
}

/** The latest row up to `last` that reaches `atNs`: spans of one thread overlap in odd files only. */
function rowReaching(trace: Trace, rows: Uint32Array, last: number, atNs: number): number {
  const { startNs, durationNs } = trace.tables.off_cpu.columns;
  let at = last;
  while (at > 0 && startNs[rows[at]] + durationNs[rows[at]] < atNs) at--;
  return rows[at];
}

function withinRow(trace: Trace, row: number, atNs: number): Moment {
  const { startNs: starts, state } = trace.tables.off_cpu.columns;
  const startNs = starts[row];
  if (isReady(state?.[row] ?? -1)) return { kind: 'runnable', startNs, row };
  const wokenNs = wokenNsOf(trace, row);
  if (Number.isNaN(wokenNs)) return { kind: 'off-cpu', startNs, row };
  return atNs > wokenNs
    ? { kind: 'runnable', startNs: wokenNs, row }
    : { kind: 'blocked', startNs, row };
}

/** On a CPU where every switch is stored, else not known. */
function betweenSwitches(trace: Trace, thread: number, sinceNs: number, atNs: number): Moment {
  const [bornNs, diedNs] = lifeOf(trace, thread);
  if (atNs <= bornNs) return { kind: 'dead', startNs: -Infinity, row: -1 };
  if (atNs > diedNs) return { kind: 'dead', startNs: Math.max(sinceNs, diedNs), row: -1 };
  const aliveNs = Math.max(sinceNs, bornNs);
  const ranges = completeRangesOf(trace, thread);
  const range = ranges[lowerBoundBy(ranges, atNs, ([startNs]) => startNs) - 1];
  if (range === undefined) return { kind: 'unknown', startNs: aliveNs, row: -1 };
  return atNs <= range[1]
    ? { kind: 'running', startNs: Math.max(aliveNs, range[0]), row: -1 }
    : { kind: 'unknown', startNs: Math.max(aliveNs, range[1]), row: -1 };
}
