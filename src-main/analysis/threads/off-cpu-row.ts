import type { Columns } from '../../shared/model/columns.ts';
import { isReady } from '../../shared/model/task-state.ts';

/** When the thread of a row of off_cpu became ready to run again; NaN where that is not recorded. */
export function readyNsOf(columns: Columns<'off_cpu'>, row: number): number {
  const startNs = columns.startNs[row];
  if (isReady(columns.state?.[row] ?? -1)) return startNs;
  const queuedNs = columns.runQueueNs?.[row] ?? -1;
  if (queuedNs < 0) return Number.NaN;
  return startNs + Math.max(0, columns.durationNs[row] - queuedNs);
}

/**
 * Until when a CPU quota kept it from running, from the moment it was ready. Only how long is
 * recorded; a queue is throttled before its threads can come to the front of it, so it came first.
 */
export function throttledUntilNs(
  columns: Columns<'off_cpu'>,
  row: number,
  readyNs: number,
): number {
  const endNs = columns.startNs[row] + columns.durationNs[row];
  return Math.min(endNs, readyNs + Math.max(0, columns.throttledNs?.[row] ?? 0));
}
