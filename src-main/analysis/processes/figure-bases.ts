import type { ActivityFigure, FigureBases } from '../../shared/answers/process-breakdown.ts';
import { hostIndexOf, isGapOf } from '../../shared/model/hosts.ts';
import { mayHaveLost } from '../../shared/model/lost-table.ts';
import type { Trace } from '../../shared/model/trace.ts';
import type { CountedSums } from '../index/counted-sums.ts';
import { traceIndex } from '../index/trace-index.ts';
import { countCudaCalls } from '../jobs/cuda-threads.ts';
import type { ActivitySpan } from './thread-activity.ts';

const ofSwitches: readonly ActivityFigure[] = [
  ...(['cpuNs', 'switches', 'preemptions', 'offCpuNs', 'runnableNs', 'throttledNs'] as const),
  ...(['blockedNs', 'diskNs', 'longestStallNs'] as const),
];
const counted: readonly ActivityFigure[] = ['switches', 'offCpuNs', 'longestStallNs'];
const ofFaults: readonly ActivityFigure[] = ['minorFaults', 'majorFaults'];
const ofPages: readonly ActivityFigure[] = ['pageAllocations', 'pageAllocationBytes'];
const ofCalls: readonly ActivityFigure[] = ['cudaCalls', 'cudaNs'];

/** How the figures of processes are known over `span`, by host. */
export function figureBases(trace: Trace, span: ActivitySpan): FigureBases[] {
  return trace.hosts.map((_, host) => basesOf(trace, span, host));
}

function basesOf(trace: Trace, { isWhole }: ActivitySpan, host: number): FigureBases {
  const { switchSums, pageSums } = traceIndex(trace).activity();
  const isSummed = (sums: CountedSums) =>
    isWhole && sums.thread.some((thread) => hostIndexOf(trace, thread) === host);
  const { tables } = trace;
  const aggregated: ActivityFigure[] = [];
  if (isSummed(switchSums)) aggregated.push(...counted);
  if (tables.page_alloc.provenance.kind === 'aggregated' || isSummed(pageSums))
    aggregated.push(...ofPages);
  const { onlyCounted, isAtLeast } = countCudaCalls(trace).made;
  const ofHost = (values: Float64Array | Uint8Array) =>
    values.some((value, thread) => value > 0 && hostIndexOf(trace, thread) === host);
  const areCallsSummed = isWhole && ofHost(onlyCounted);
  if (areCallsSummed) aggregated.push(...ofCalls);
  const atLeast: ActivityFigure[] = [];
  if (isShort(trace, 'off_cpu', host)) atLeast.push(...ofSwitches);
  // Counted when a thread leaves the CPU: its last slice is in none.
  if (isShort(trace, 'off_cpu', host) || tables.page_fault.provenance.kind !== 'exact')
    atLeast.push(...ofFaults);
  if (isShort(trace, 'page_alloc', host)) atLeast.push(...ofPages);
  if (isShort(trace, 'cuda_call', host)) atLeast.push(...ofCalls);
  return {
    aggregated,
    atLeast: [
      ...[...new Set(['cpuNs' as const, ...atLeast])].filter(
        (figure) => !aggregated.includes(figure),
      ),
      ...(areCallsSummed && ofHost(isAtLeast) ? ofCalls : []),
    ],
  };
}

/** Whether events of `table` on `host` may be missing. */
function isShort(
  trace: Trace,
  table: 'off_cpu' | 'page_alloc' | 'cuda_call',
  host: number,
): boolean {
  const { kind } = trace.tables[table].provenance;
  if (kind === 'partial' || kind === 'sampled') return true;
  const { columns, rows } = trace.tables.gap;
  for (let row = 0; row < rows; row++)
    if (isGapOf(trace, row, host) && mayHaveLost(trace, columns.op?.[row] ?? -1, table))
      return true;
  return false;
}
