import { codeOf, directions } from '../../shared/model/codes.ts';
import { type CudaOpKind, cudaOpKind } from '../../shared/model/cuda-ops.ts';
import type { Trace } from '../../shared/model/trace.ts';
import { onceFor, perNumber } from '../index/per-trace.ts';
import { endsOfRows, type RowTimes, startsOfRows } from '../index/sorted-rows.ts';
import { traceIndex } from '../index/trace-index.ts';

/** The outermost CUDA calls of one or more threads, in order of start (as rows are, exactly). */
export interface LoopCalls {
  /** Rows of cuda_call. */
  readonly rows: Uint32Array;
  readonly startsNs: RowTimes;
  /** Of calls that overlap, as those of several threads may, they may fall. */
  readonly endsNs: RowTimes;
}

/** What each entry of the names table does if it is a CUDA call. */
export const opKinds = onceFor(
  ({ names }: Pick<Trace, 'names'>): Trace['names'] => names,
  ({ names }): readonly CudaOpKind[] => names.map(cudaOpKind),
);

const H2D = codeOf(directions, 'H2D');

/** Whether `row` is a copy from the host to the device. */
export function isH2d(trace: Trace, row: number): boolean {
  const { op, direction } = trace.tables.cuda_call.columns;
  return direction?.[row] === H2D && opKinds(trace)[op[row]] === 'copy';
}

/** The calls of one thread that are not made inside another call of it, kept with the trace. */
export const loopCalls = perNumber((trace, thread): LoopCalls => {
  const { startNs, durationNs, parent } = trace.tables.cuda_call.columns;
  const all = traceIndex(trace).rowsOf('cuda_call', thread).rows;
  const rows = new Uint32Array(all.length);
  let kept = 0;
  let untilNs = -Infinity;
  for (const row of all) {
    // Sources that do not say which call is inside which still nest them in time.
    if ((parent !== undefined && parent[row] >= 0) || startNs[row] < untilNs) continue;
    untilNs = startNs[row] + durationNs[row];
    rows[kept++] = row;
  }
  return withTimes(trace, rows.slice(0, kept));
});

/** The outermost calls of several threads, in order of start. */
export function callsOfThreads(trace: Trace, threads: readonly number[]): LoopCalls {
  const [only] = threads;
  if (only !== undefined && threads.length === 1) return loopCalls(trace, only);
  const all = threads.map((thread) => loopCalls(trace, thread).rows);
  const rows = new Uint32Array(all.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const some of all) {
    rows.set(some, at);
    at += some.length;
  }
  return withTimes(trace, rows.sort());
}

function withTimes(trace: Trace, rows: Uint32Array): LoopCalls {
  const { columns } = trace.tables.cuda_call;
  return { rows, startsNs: startsOfRows(columns, rows), endsNs: endsOfRows(columns, rows) };
}
