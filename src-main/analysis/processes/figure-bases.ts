import type { ActivityFigure, FigureBases } from '../../shared/answers/process-breakdown.ts';
import { mayHaveLost } from '../../shared/model/lost-table.ts';
import type { Trace } from '../../shared/model/trace.ts';
import { traceIndex } from '../index/trace-index.ts';
import type { ActivitySpan } from './thread-activity.ts';

const ofSwitches: readonly ActivityFigure[] = [
  ...(['cpuNs', 'switches', 'preemptions', 'offCpuNs', 'runnableNs', 'throttledNs'] as const),
  ...(['blockedNs', 'diskNs', 'longestStallNs'] as const),
];
const counted: readonly ActivityFigure[] = ['switches', 'offCpuNs', 'longestStallNs'];
const ofFaults: readonly ActivityFigure[] = ['minorFaults', 'majorFaults'];
const ofPages: readonly ActivityFigure[] = ['pageAllocations', 'pageAllocationBytes'];
const ofCalls: readonly ActivityFigure[] = ['cudaCalls', 'cudaNs'];

/** How the figures of all processes are known over `span`. */
export function figureBases(trace: Trace, { isWhole }: ActivitySpan): FigureBases {
  const { switchSums, pageSums } = traceIndex(trace).activity();
  const { tables } = trace;
  const aggregated: ActivityFigure[] = [];
  if (isWhole && switchSums.thread.length > 0) aggregated.push(...counted);
  if (tables.page_alloc.provenance.kind === 'aggregated' || (isWhole && pageSums.thread.length > 0))
    aggregated.push(...ofPages);
  const atLeast: ActivityFigure[] = [];
  if (isShort(trace, 'off_cpu')) atLeast.push(...ofSwitches);
  // Counted when a thread leaves the CPU: its last slice is in none.
  if (isShort(trace, 'off_cpu') || tables.page_fault.provenance.kind !== 'exact')
    atLeast.push(...ofFaults);
  if (isShort(trace, 'page_alloc')) atLeast.push(...ofPages);
  if (isShort(trace, 'cuda_call')) atLeast.push(...ofCalls);
  return {
    aggregated,
    atLeast: [...new Set(['cpuNs' as const, ...atLeast])].filter(
      (figure) => !aggregated.includes(figure),
    ),
  };
}

/** Whether events of `table` may be missing. */
function isShort(trace: Trace, table: 'off_cpu' | 'page_alloc' | 'cuda_call'): boolean {
  const { kind } = trace.tables[table].provenance;
  if (kind === 'partial' || kind === 'sampled') return true;
  const { columns, rows } = trace.tables.gap;
  for (let row = 0; row < rows; row++)
    if (mayHaveLost(trace, columns.op?.[row] ?? -1, table)) return true;
  return false;
}
