import type { PartDetail } from '../../shared/answers/explanation.ts';
import { isReady } from '../../shared/model/task-state.ts';
import type { Trace } from '../../shared/model/trace.ts';
import { upperBound } from '../../shared/numbers/bisect.ts';
import { traceIndex } from '../index/trace-index.ts';
import { HANDED_ON_WITHIN_NS } from '../jobs/handed-on.ts';
import { blockedOn } from './blocked-on.ts';
import { readyNsOf } from './off-cpu-row.ts';

/** A request comes in by one of these: epoll, accept, a socket or a pipe. */
const COMES_IN: ReadonlySet<PartDetail> = new Set(['poll', 'socket', 'pipe']);

/**
 * Whether row `row` of off_cpu is a server's thread that waits for a request: itself on a socket, pipe
 * or poll, or on a queue that a thread of its process filled which had just come back from one.
 */
export function isRequestWait(trace: Trace, row: number): boolean {
  const { thread, state } = trace.tables.off_cpu.columns;
  const process = trace.threads[thread[row]]?.process ?? -1;
  if (trace.processes[process]?.role !== 'server' || isReady(state?.[row] ?? -1)) return false;
  const { detail } = blockedOn(trace, row);
  return COMES_IN.has(detail) || (detail === 'lock' && wasFilled(trace, row, process));
}

/** When the wait was over: from then on the thread was ready to run. */
export function requestCameNs({ tables }: Trace, row: number): number {
  const { columns } = tables.off_cpu;
  const readyNs = readyNsOf(columns, row);
  return Number.isNaN(readyNs) ? columns.startNs[row] + columns.durationNs[row] : readyNs;
}

/** Whether a thread that had just taken something from a socket ended this wait. */
function wasFilled(trace: Trace, row: number, process: number): boolean {
  const { waker, thread } = trace.tables.off_cpu.columns;
  const by = waker?.[row] ?? -1;
  if (by < 0 || by === thread[row] || trace.threads[by]?.process !== process) return false;
  const { rows, latestEndsNs } = traceIndex(trace).switchesOf(by);
  const atNs = requestCameNs(trace, row);
  for (let at = upperBound(latestEndsNs, atNs) - 1; at >= 0; at--) {
    if (atNs - latestEndsNs[at] > HANDED_ON_WITHIN_NS) return false;
    if (isReady(trace.tables.off_cpu.columns.state?.[rows[at]] ?? -1)) continue;
    return COMES_IN.has(blockedOn(trace, rows[at]).detail);
  }
  return false;
}
