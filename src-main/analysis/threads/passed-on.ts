import { codeOf, wakeContexts } from '../../shared/model/codes.ts';
import { NONE } from '../../shared/model/schema.ts';
import { isReady } from '../../shared/model/task-state.ts';
import type { Trace } from '../../shared/model/trace.ts';
import { lowerBound } from '../../shared/numbers/bisect.ts';
import { traceIndex } from '../index/trace-index.ts';
import { readyNsOf } from './off-cpu-row.ts';

/** Of a wait, so much has to be a wait of the thread that ended it: else it did something itself. */
const WAITED_SHARE = 0.5;
/** Threads that pass on to each other: gloo has two between a socket and who waits. */
const MOST_THREADS = 4;

const TASK = codeOf(wakeContexts, 'task');

/**
 * The row of off_cpu, `row` or that of another thread of its process, whose end in truth ended the wait `row`. A thread that
 * itself waited meanwhile and only passes on what came, as one that reads a pipe for the others, is looked through:
 * whoever ended its wait counts, and the system call is its own.
 */
export function passedOnFrom(trace: Trace, row: number): number {
  const { startNs, waker, wakerContext, thread } = trace.tables.off_cpu.columns;
  const processOf = (each: number) => trace.threads[each]?.process ?? NONE;
  const process = processOf(thread[row]);
  const sinceNs = startNs[row];
  let at = row;
  for (let count = 0; count < MOST_THREADS; count++) {
    const by = waker?.[at] ?? NONE;
    const isTask = wakerContext === undefined || wakerContext[at] === TASK;
    if (!isTask || by === thread[at] || processOf(by) !== process) break;
    const before = waitBefore(trace, by, sinceNs, readyNsOf(trace.tables.off_cpu.columns, at));
    if (before === NONE) break;
    at = before;
  }
  return at;
}

/** The last wait of `thread` before `untilNs`, where it waited for most of the time since `sinceNs`; -1 = it did not. */
function waitBefore(trace: Trace, thread: number, sinceNs: number, untilNs: number): number {
  const { columns } = trace.tables.off_cpu;
  const { rows, startsNs } = traceIndex(trace).switchesOf(thread);
  let [last, waitedNs] = [NONE, 0];
  for (let at = lowerBound(startsNs, untilNs) - 1; at >= 0; at--) {
    const endNs = startsNs[at] + columns.durationNs[rows[at]];
    if (endNs <= sinceNs) break;
    if (isReady(columns.state?.[rows[at]] ?? NONE)) continue;
    if (last === NONE) last = rows[at];
    waitedNs += Math.min(endNs, untilNs) - Math.max(startsNs[at], sinceNs);
  }
  return waitedNs >= (untilNs - sinceNs) * WAITED_SHARE ? last : NONE;
}
