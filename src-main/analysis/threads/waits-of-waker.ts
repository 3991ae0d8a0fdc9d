import { codeOf, wakeContexts } from '../../shared/model/codes.ts';
import { NONE } from '../../shared/model/schema.ts';
import { isReady } from '../../shared/model/task-state.ts';
import type { Trace } from '../../shared/model/trace.ts';
import { traceIndex } from '../index/trace-index.ts';

const TASK = codeOf(wakeContexts, 'task');

/** The other thread of its own process that ended the wait `row`; -1 = somebody else, or nobody known. */
export function wakerOfOwnProcess({ tables, threads }: Trace, row: number): number {
  const { waker, wakerContext, thread } = tables.off_cpu.columns;
  const by = waker?.[row] ?? NONE;
  const isTask = wakerContext === undefined || wakerContext[row] === TASK;
  const process = threads[thread[row]]?.process ?? NONE;
  const isOwn = process !== NONE && threads[by]?.process === process;
  return isTask && isOwn && by !== thread[row] ? by : NONE;
}

/** Calls `visit` for what `thread` waited in [sinceNs, untilNs), the last wait first: its row, and how much of it lies there. */
export function visitWaitsBack(
  trace: Trace,
  thread: number,
  sinceNs: number,
  untilNs: number,
  visit: (row: number, ns: number) => void,
): void {
  const { durationNs, state } = trace.tables.off_cpu.columns;
  const { rows, startsNs } = traceIndex(trace).switchesOf(thread);
  for (let at = startsNs.lowerBound(untilNs) - 1; at >= 0; at--) {
    const endNs = startsNs.nsAt(at) + durationNs[rows[at]];
    if (endNs <= sinceNs) break;
    if (isReady(state?.[rows[at]] ?? NONE)) continue;
    visit(rows[at], Math.min(endNs, untilNs) - Math.max(startsNs.nsAt(at), sinceNs));
  }
}
