import type { TimeSpan } from '../../shared/answers/summary.ts';
import type { Trace } from '../../shared/model/trace.ts';
import type { RowTimes, SortedRows } from '../index/sorted-rows.ts';
import { traceIndex } from '../index/trace-index.ts';

/**
 * Where every switch of `thread` is stored if the table of switches is exact: from the first moment
 * at which it is known to have been recorded on a CPU to the last. A switch is stored when the thread
 * comes back, so none can be missing before a moment at which it ran: its switches themselves, the
 * begin and return of its CUDA calls, its CPU samples, its exit.
 */
export function observedSpan(trace: Trace, thread: number): TimeSpan | undefined {
  const index = traceIndex(trace);
  const switches = index.switchesOf(thread);
  if (switches.rows.length === 0) return undefined;
  const calls = index.rowsOf('cuda_call', thread);
  const samples = index.rowsOf('cpu_sample', thread);
  const firstNs = Math.min(
    switches.startsNs.nsAt(0),
    firstWithin(calls.startsNs),
    firstWithin(samples.startsNs),
  );
  const lastNs = Math.max(
    switches.latestEndsNs.nsAt(switches.latestEndsNs.length - 1),
    lastReturnNs(trace, calls),
    samples.startsNs.nsAt(samples.startsNs.length - 1) ?? -Infinity,
    trace.threads[thread]?.endNs ?? -Infinity,
  );
  return [firstNs, lastNs];
}

/** What began before the trace was not recorded from its begin. */
function firstWithin(startsNs: RowTimes): number {
  const first = startsNs.nsAt(0);
  return first > 0 ? first : Infinity;
}

/** A call that had not returned when the recording ended has an end, but not one of its own. */
function lastReturnNs(trace: Trace, calls: SortedRows): number {
  const last = calls.rows.at(-1);
  if (last === undefined) return -Infinity;
  const { startNs, durationNs, returnCode } = trace.tables.cuda_call.columns;
  const returned = (returnCode?.[last] ?? -1) >= 0;
  return startNs[last] + (returned ? durationNs[last] : 0);
}
