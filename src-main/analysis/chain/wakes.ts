import { codeOf, wakeContexts } from '../../shared/model/codes.ts';
import type { Trace } from '../../shared/model/trace.ts';
import { traceIndex } from '../index/trace-index.ts';
import { readyNsOf } from '../threads/off-cpu-row.ts';

const TASK = codeOf(wakeContexts, 'task');
const UNKNOWN = codeOf(wakeContexts, 'unknown');

/** When the thread of this off-CPU row was ready to run again; NaN where that is not recorded. */
export function wokenNsOf(trace: Trace, row: number): number {
  const readyNs = readyNsOf(trace.tables.off_cpu.columns, row);
  if (!Number.isNaN(readyNs)) return readyNs;
  const wakeup = wakeupWithin(trace, row);
  return wakeup < 0 ? Number.NaN : trace.tables.wakeup.columns.startNs[wakeup];
}

/**
 * The thread that woke the thread of this row, -1 where none did or none is known. Only what runs as
 * a task is somebody: who is interrupted by a device or a timer wakes nobody.
 */
export function wakerOf(trace: Trace, row: number): number {
  const { waker, wakerContext } = trace.tables.off_cpu.columns;
  const context = wakerContext?.[row] ?? UNKNOWN;
  if (context === TASK) return waker?.[row] ?? -1;
  if (context !== UNKNOWN) return -1;
  const wakeup = wakeupWithin(trace, row);
  return wakeup < 0 ? -1 : (trace.tables.wakeup.columns.waker?.[wakeup] ?? -1);
}

/** In which context the wake-up ran. */
export function wakeContextOf(trace: Trace, row: number): (typeof wakeContexts)[number] {
  return wakeContexts[trace.tables.off_cpu.columns.wakerContext?.[row] ?? UNKNOWN] ?? 'unknown';
}

/** The last wake-up of a table of its own within the row's time; -1 = none. */
function wakeupWithin(trace: Trace, row: number): number {
  if (trace.tables.wakeup.rows === 0) return -1;
  const { startNs, durationNs, thread } = trace.tables.off_cpu.columns;
  const { rows, startsNs } = traceIndex(trace).rowsOf('wakeup', thread[row]);
  const last = startsNs.upperBound(startNs[row] + durationNs[row]) - 1;
  return last >= 0 && startsNs.nsAt(last) >= startNs[row] ? rows[last] : -1;
}
