import type { TimeSpan } from '../../shared/answers/summary.ts';
import type { Trace } from '../../shared/model/trace.ts';
import { switchCoverage } from '../coverage/coverage.ts';
import { SpanList, type Spans } from '../index/spans.ts';
import { traceIndex } from '../index/trace-index.ts';
import type { Outstanding } from './outstanding-work.ts';

/** A wait that returned sooner may have found the work done: it proves nothing. */
const WAITED_NS = 20_000;

/**
 * When the device was busy for certain: while a thread was in a wait for work that was outstanding,
 * up to the last moment at which the thread could have seen it done and had not. A thread that was
 * off its CPU when the work ended comes back late, so that time is not the device's.
 */
export function deviceWaits(trace: Trace, { waits }: Outstanding, window: TimeSpan): Spans {
  const { startNs, durationNs } = trace.tables.cuda_call.columns;
  const busy = new SpanList(window);
  for (const row of waits) {
    const endNs = startNs[row] + durationNs[row];
    if (endNs <= window[0] || startNs[row] >= window[1] || durationNs[row] < WAITED_NS) continue;
    busy.add(startNs[row], seenBusyUntil(trace, row, endNs));
  }
  return busy.spans();
}

/** The wait's return, or the begin of its thread's last stretch off the CPU if it returned after that. */
function seenBusyUntil(trace: Trace, row: number, endNs: number): number {
  const { thread, startNs } = trace.tables.cuda_call.columns;
  const index = thread[row];
  if (!switchCoverage(trace, index, startNs[row], endNs).complete) return startNs[row];
  const { rows, startsNs } = traceIndex(trace).switchesOf(index);
  const last = rows[startsNs.lowerBound(endNs) - 1];
  const { columns } = trace.tables.off_cpu;
  if (last === undefined) return endNs;
  const outNs = columns.startNs[last];
  const inNs = outNs + columns.durationNs[last];
  if (inNs <= startNs[row] || endNs - inNs >= WAITED_NS) return endNs;
  const slept = columns.state?.[last] !== 0 && (columns.runQueueNs?.[last] ?? -1) >= 0;
  // A sleeping wait is woken by the device.
  return slept ? inNs - (columns.runQueueNs?.[last] ?? 0) : Math.max(outNs, startNs[row]);
}
