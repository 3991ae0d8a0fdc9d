import { cudaOpKind } from '../../shared/model/cuda-ops.ts';
import type { Trace } from '../../shared/model/trace.ts';

/** Whether the recorder's own sums count CUDA calls, whatever is said of the single ones. */
export function hasSummedCalls({ names, tables }: Trace): boolean {
  const { op, count } = tables.aggregate.columns;
  const isCall = Uint8Array.from(names, (name) => Number(cudaOpKind(name) !== 'other'));
  return op.some((name, row) => isCall[name] === 1 && count[row] > 0);
}
