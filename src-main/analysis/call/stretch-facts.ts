import type { StretchExplanation, StretchMemory } from '../../shared/answers/stretch.ts';
import { cudaOpKind } from '../../shared/model/cuda-ops.ts';
import type { Trace } from '../../shared/model/trace.ts';
import { traceIndex } from '../index/trace-index.ts';
import { rankOfThread } from '../jobs/job-index.ts';
import { othersMemory } from '../threads/call-memory.ts';
import { type MemoryCounts, memoryCounts } from '../threads/memory-counts.ts';
import { explainCall } from './explain-call.ts';

/**
 * Beside what `thread` (an index) waited for in [startNs, endNs): page faults and allocations, and the largest copy that
 * it asked for and that was under way. `trace` must have its roles (withRoles).
 */
export function stretchFacts(
  trace: Trace,
  thread: number,
  startNs: number,
  endNs: number,
): Pick<StretchExplanation, 'memory' | 'copy'> {
  const memory = stretchMemory(trace, thread, startNs, endNs);
  const row = largestCopy(trace, thread, startNs, endNs);
  const { call, rate, hostMemory, rank } = row === undefined ? {} : explainCall(trace, row);
  const isTold = call !== undefined && hostMemory !== undefined && rank !== undefined;
  return {
    ...(memory !== undefined && { memory }),
    ...(isTold && { copy: { call, hostMemory, rank, ...(rate !== undefined && { rate }) } }),
  };
}

function stretchMemory(
  trace: Trace,
  thread: number,
  startNs: number,
  endNs: number,
): StretchMemory | undefined {
  const own = memoryCounts(trace, thread, startNs, endNs);
  const rank = rankOfThread(trace, thread);
  const others = othersMemory(trace, rank, thread, startNs, endNs).reduce(
    (sum: MemoryCounts, { counts }) => added(sum, counts),
    {},
  );
  if (Object.keys(own).length === 0 && Object.keys(others).length === 0) return undefined;
  const { page_fault: faults, page_alloc: allocations } = trace.tables;
  const isAtLeast =
    faults.provenance.kind !== 'exact' || allocations.provenance.kind === 'aggregated';
  return { own, others, isAtLeast };
}

function added(sum: MemoryCounts, counts: MemoryCounts): MemoryCounts {
  const all = { ...sum };
  for (const key of Object.keys(counts) as (keyof MemoryCounts)[])
    Object.assign(all, { [key]: (sum[key] ?? 0) + (counts[key] ?? 0) });
  return all;
}

/** The row of the outermost copy with most bytes that overlaps the stretch. */
function largestCopy(
  trace: Trace,
  thread: number,
  startNs: number,
  endNs: number,
): number | undefined {
  const { op, bytes, durationNs, startNs: starts, parent } = trace.tables.cuda_call.columns;
  if (bytes === undefined) return undefined;
  const calls = traceIndex(trace).rowsOf('cuda_call', thread);
  let largest: number | undefined;
  for (let at = calls.startsNs.lowerBound(endNs) - 1; at >= 0; at--) {
    // None that began before reaches into it.
    if (calls.latestEndsNs.nsAt(at) <= startNs) break;
    const row = calls.rows[at];
    const isOver = starts[row] + durationNs[row] <= startNs;
    if (isOver || (parent?.[row] ?? -1) >= 0 || bytes[row] <= 0) continue;
    if (cudaOpKind(trace.names[op[row]] ?? '') !== 'copy') continue;
    if (largest === undefined || bytes[row] > bytes[largest]) largest = row;
  }
  return largest;
}
