import { codeOf, processEventKinds } from '../../shared/model/codes.ts';
import { isNew } from '../../shared/model/task-state.ts';
import type { Trace } from '../../shared/model/trace.ts';
import { perTrace } from '../index/per-trace.ts';
import { traceIndex } from '../index/trace-index.ts';

const FORK = codeOf(processEventKinds, 'fork');

/** By thread, the one that created it; -1 = not recorded. */
const forkers = perTrace((trace): Int32Array => {
  const { kind, thread, subject } = trace.tables.process_event.columns;
  const by = new Int32Array(trace.threads.length).fill(-1);
  for (let row = 0; row < trace.tables.process_event.rows; row++) {
    const child = subject?.[row] ?? -1;
    if (kind[row] === FORK && child >= 0) by[child] = thread[row];
  }
  return by;
});

/** The thread that created `thread`; -1 = not known. */
export function creatorOf(trace: Trace, thread: number): number {
  const forker = forkers(trace)[thread] ?? -1;
  if (forker >= 0) return forker;
  const [first] = traceIndex(trace).switchesOf(thread).rows;
  const { state, waker } = trace.tables.off_cpu.columns;
  return first !== undefined && isNew(state?.[first] ?? -1) ? (waker?.[first] ?? -1) : -1;
}
