import { isGapOf } from './hosts.ts';
import { lostLaunchesOnly } from './lost-table.ts';
import type { Trace } from './trace.ts';

/** Whether launches on `host` were recorded in windows only: any number of them is one of those that were seen. */
export function missesLaunches(trace: Trace, host: number): boolean {
  const { columns, rows } = trace.tables.gap;
  for (let row = 0; row < rows; row++)
    if (lostLaunchesOnly(trace, columns.op?.[row] ?? -1) && isGapOf(trace, row, host)) return true;
  return false;
}
