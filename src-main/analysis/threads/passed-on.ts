import { NONE } from '../../shared/model/schema.ts';
import type { Trace } from '../../shared/model/trace.ts';
import { readyNsOf } from './off-cpu-row.ts';
import { visitWaitsBack, wakerOfOwnProcess } from './waits-of-waker.ts';

/** Of a wait, so much has to be a wait of the thread that ended it: else it did something itself. */
const WAITED_SHARE = 0.5;
/** Threads that pass on to each other: gloo has two between a socket and who waits. */
const MOST_THREADS = 4;

/**
 * The row of off_cpu, `row` or that of another thread of its process, whose end in truth ended the wait `row`. A thread that
 * itself waited meanwhile and only passes on what came, as one that reads a pipe for the others, is looked through:
 * whoever ended its wait counts, and the system call is its own.
 */
export function passedOnFrom(trace: Trace, row: number): number {
  const { columns } = trace.tables.off_cpu;
  const sinceNs = columns.startNs[row];
  let at = row;
  for (let count = 0; count < MOST_THREADS; count++) {
    const by = wakerOfOwnProcess(trace, at);
    const before = by === NONE ? NONE : waitBefore(trace, by, sinceNs, readyNsOf(columns, at));
    if (before === NONE) break;
    at = before;
  }
  return at;
}

/** The last wait of `thread` before `untilNs`, where it waited for most of the time since `sinceNs`; -1 = it did not. */
function waitBefore(trace: Trace, thread: number, sinceNs: number, untilNs: number): number {
  let [last, waitedNs] = [NONE, 0];
  visitWaitsBack(trace, thread, sinceNs, untilNs, (row, ns) => {
    if (last === NONE) last = row;
    waitedNs += ns;
  });
  return waitedNs >= (untilNs - sinceNs) * WAITED_SHARE ? last : NONE;
}
