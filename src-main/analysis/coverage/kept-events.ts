import type { KeptCalls } from '../../shared/answers/steps.ts';
import { cudaOpKind, isLaunchOp } from '../../shared/model/cuda-ops.ts';
import { mayHaveLost } from '../../shared/model/lost-table.ts';
import type { Trace } from '../../shared/model/trace.ts';
import { happenedOperations } from '../index/happened-operations.ts';
import { perTrace } from '../index/per-trace.ts';
import { traceIndex } from '../index/trace-index.ts';

/**
 * Which of the CUDA calls that happened the file holds; undefined where it is known to hold all. That a
 * table is not called exact does not mean that something is missing: a recorder may only not say so.
 */
export const keptCalls = perTrace((trace): KeptCalls | undefined => {
  const { provenance, rows } = trace.tables.cuda_call;
  if (provenance.kind === 'exact') return undefined;
  if (rows === 0) return 'none';
  const isCall = trace.names.map((name) => cudaOpKind(name) !== 'other');
  const isShort = happenedOperations(trace).some(
    ({ op, count, rows: stored }) => isCall[op] && count > stored,
  );
  return isShort || hasLost(trace, 'cuda_call') ? 'some' : 'unknown';
});

/**
 * Whether the recorder says when it lost CUDA calls (`gap`), and has all the others, as where a library was mapped some
 * milliseconds before it was probed. Launches may be known by their sums alone.
 */
export const hasAllButGaps = perTrace((trace): boolean => {
  if (trace.tables.gap.provenance.kind === 'absent' || !hasLost(trace, 'cuda_call')) return false;
  const isSummed = trace.names.map((name) => cudaOpKind(name) !== 'other' && !isLaunchOp(name));
  return happenedOperations(trace).every(({ op, count, rows }) => !isSummed[op] || count <= rows);
});

/** Which of the context switches that happened the file holds, as `keptCalls`. */
export const keptSwitches = perTrace((trace): KeptCalls | undefined => {
  const { provenance, rows, recordedAs } = trace.tables.off_cpu;
  if (provenance.kind === 'exact') return undefined;
  if (rows === 0) return 'none';
  const isShort = happenedOperations(trace).some(
    ({ op, count, rows: stored }) =>
      trace.names[op] === recordedAs.op &&
      trace.nameSources[op] === recordedAs.source &&
      count > stored,
  );
  const isSummarised = traceIndex(trace)
    .activity()
    .summarisedSwitches.some((count) => count > 0);
  return isShort || isSummarised || hasLost(trace, 'off_cpu') ? 'some' : 'unknown';
});

function hasLost(trace: Trace, table: 'cuda_call' | 'off_cpu'): boolean {
  const { columns, rows } = trace.tables.gap;
  return Array.from({ length: rows }, (_, row) => columns.op?.[row] ?? -1).some((op) =>
    mayHaveLost(trace, op, table),
  );
}
