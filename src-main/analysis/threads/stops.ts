import { isTraced } from '../../shared/model/task-state.ts';
import type { Trace } from '../../shared/model/trace.ts';
import { lowerBound } from '../../shared/numbers/bisect.ts';
import { perNumber } from '../index/per-trace.ts';
import { SpanList, type Spans } from '../index/spans.ts';
import { traceIndex } from '../index/trace-index.ts';
import { readyNsOf } from './off-cpu-row.ts';
import { stateCode, stateWhileAsleep } from './visit-states.ts';

/** Where a thread was stopped: by a signal, by whoever traces it, or with its control group, which is frozen. */
export interface Stops {
  /** Rows of off_cpu, in order of time. */
  readonly rows: readonly number[];
  /** From each stop until it was let go on. */
  readonly spans: Spans;
}

/** The stops of `thread`, as far as it is recorded when they ended. */
export const stopsOf: (trace: Trace, thread: number) => Stops = perNumber((trace, thread) => {
  const { columns } = trace.tables.off_cpu;
  const rows: number[] = [];
  const spans = new SpanList([-Infinity, Infinity]);
  for (const row of traceIndex(trace).switchesOf(thread).rows) {
    const readyNs = readyNsOf(columns, row);
    if (Number.isNaN(readyNs) || stateWhileAsleep(trace, row) !== stateCode.stopped) continue;
    rows.push(row);
    spans.add(columns.startNs[row], readyNs);
  }
  return { rows, spans: spans.spans() };
});

/** From a wake-up to the stop that it was for. Our own choice: the thread has to come on a CPU in between. */
const SOON_NS = 1e6;

/** Whether the thread of row `row` was woken to be stopped: its next wait is a stop, soon after. */
export function isStoppedAfter(trace: Trace, row: number): boolean {
  const { thread, startNs, durationNs } = trace.tables.off_cpu.columns;
  const { startsNs } = stopsOf(trace, thread[row]).spans;
  const endNs = startNs[row] + durationNs[row];
  const next = startsNs[lowerBound(startsNs, endNs)];
  return next !== undefined && next - endNs <= SOON_NS;
}

/** Whether a stop was one by whoever traces the thread. */
export function isTracedStop({ tables }: Trace, row: number): boolean {
  return isTraced(tables.off_cpu.columns.state?.[row] ?? -1);
}
