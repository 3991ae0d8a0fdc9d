import { codeOf, directions } from '../../shared/model/codes.ts';
import { type CudaOpKind, cudaOpKind } from '../../shared/model/cuda-ops.ts';
import type { Trace } from '../../shared/model/trace.ts';

/** The outermost CUDA calls of one or more threads, in order of start. */
export interface LoopCalls {
  /** Rows of cuda_call. */
  readonly rows: Uint32Array;
  readonly startsNs: Float64Array;
  readonly endsNs: Float64Array;
}

const kindsOf = new WeakMap<readonly string[], readonly CudaOpKind[]>();

/** What each entry of the names table does if it is a CUDA call. */
export function opKinds({ names }: Trace): readonly CudaOpKind[] {
  const kinds = kindsOf.get(names) ?? names.map(cudaOpKind);
  kindsOf.set(names, kinds);
  return kinds;
}

const H2D = codeOf(directions, 'H2D');

/** Whether `row` is a copy from the host to the device. */
export function isH2d(trace: Trace, row: number): boolean {
  const { op, direction } = trace.tables.cuda_call.columns;
  return direction?.[row] === H2D && opKinds(trace)[op[row]] === 'copy';
}

/**
 * The calls of `threads` that are not made inside another call of the same thread: one pass, no
 * matter whether the source says so itself.
 */
export function loopCalls(trace: Trace, threads: readonly number[]): LoopCalls {
  const { startNs, durationNs, thread, parent } = trace.tables.cuda_call.columns;
  const { rows: count } = trace.tables.cuda_call;
  const wanted = new Uint8Array(trace.threads.length);
  for (const index of threads) if (index >= 0) wanted[index] = 1;
  const untilNs = new Float64Array(trace.threads.length).fill(-Infinity);
  const rows = new Uint32Array(count);
  let kept = 0;
  for (let row = 0; row < count; row++) {
    const who = thread[row];
    if (who < 0 || wanted[who] === 0 || (parent?.[row] ?? -1) >= 0) continue;
    const endNs = startNs[row] + durationNs[row];
    if (startNs[row] < untilNs[who]) continue;
    untilNs[who] = endNs;
    rows[kept++] = row;
  }
  const found = rows.slice(0, kept);
  return {
    rows: found,
    startsNs: Float64Array.from(found, (row) => startNs[row]),
    endsNs: Float64Array.from(found, (row) => startNs[row] + durationNs[row]),
  };
}
