import type { PartDetail } from '../../shared/answers/explanation.ts';
import { codeOf, wakeContexts } from '../../shared/model/codes.ts';
import { NONE } from '../../shared/model/schema.ts';
import { isReady } from '../../shared/model/task-state.ts';
import type { Trace } from '../../shared/model/trace.ts';
import { perNumber, perRoles } from '../index/per-trace.ts';
import { traceIndex } from '../index/trace-index.ts';
import { HANDED_ON_WITHIN_NS } from '../jobs/handed-on.ts';
import { descendsFrom, processTree } from '../jobs/process-tree.ts';
import { awaitedFile } from './awaited-file.ts';
import { blockedOn, callOf } from './blocked-on.ts';
import { readyNsOf } from './off-cpu-row.ts';

const TASK = codeOf(wakeContexts, 'task');

/** A request comes in by one of these: epoll, accept, a socket or a pipe. */
const COMES_IN: ReadonlySet<PartDetail> = new Set(['poll', 'socket', 'pipe']);

/**
 * Whether row `row` of off_cpu is a server's thread that waits for a request: itself on a socket, pipe
 * or poll, or on a queue that a thread of its process filled which had just come back from one. What a program that
 * the server started tells it, as a compiler, belongs to the answer: unless that takes requests itself.
 */
export function isRequestWait(trace: Trace, row: number): boolean {
  const { thread, state } = trace.tables.off_cpu.columns;
  const process = trace.threads[thread[row]]?.process ?? -1;
  if (trace.processes[process]?.role !== 'server' || isReady(state?.[row] ?? -1)) return false;
  if (comesIn(trace, row, process)) return true;
  return blockedOn(trace, row).detail === 'lock' && wasFilled(trace, row, process);
}

function comesIn(trace: Trace, row: number, server: number): boolean {
  return COMES_IN.has(blockedOn(trace, row).detail) && !isFromOwnChild(trace, row, server);
}

const treeOf = perRoles(({ processes }) => processTree(processes));

/** Whether a process that the server started, and that takes no requests itself, ended the wait. */
function isFromOwnChild(trace: Trace, row: number, server: number): boolean {
  const { waker, wakerContext } = trace.tables.off_cpu.columns;
  if (wakerContext !== undefined && wakerContext[row] !== TASK) return false;
  const by = trace.threads[waker?.[row] ?? NONE]?.process ?? NONE;
  if (by === NONE || by === server || !descendsFrom(treeOf(trace), by, server)) return false;
  return trace.processes[by].role !== 'server' && !takesRequests(trace, by);
}

const TAKES = /^(accept4?|epoll_\w+)$/;
/** The agent's words for a socket that waits for connections, and for one that a client opened. */
const TAKEN_FROM = /^socket($| from )/;

/** Whether a process waits for connections, or for what comes over one that somebody else opened. */
const takesRequests = perNumber((trace, process) => {
  const index = traceIndex(trace);
  return trace.threads.some(
    (thread, at) =>
      thread.process === process &&
      index.switchesOf(at).rows.some((row) => {
        const call = callOf(trace, row);
        if (call !== undefined && TAKES.test(call)) return true;
        return TAKEN_FROM.test(awaitedFile(trace, row)?.name ?? '');
      }),
  );
});

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
  for (let at = latestEndsNs.upperBound(atNs) - 1; at >= 0; at--) {
    if (atNs - latestEndsNs.nsAt(at) > HANDED_ON_WITHIN_NS) return false;
    if (isReady(trace.tables.off_cpu.columns.state?.[rows[at]] ?? -1)) continue;
    return comesIn(trace, rows[at], process);
  }
  return false;
}
