import { cudaOpKind } from '../../shared/model/cuda-ops.ts';
import type { TraceData } from '../model/trace-data.ts';

export interface SlowestCall {
  readonly row: number;
  readonly isCopy: boolean;
}

/** The slowest outermost copy of a trace, or its slowest call where there is no copy. */
export function slowestCall({ summary, tables }: TraceData): SlowestCall | undefined {
  const { op, durationNs, parent } = tables.cuda_call ?? {};
  if (op === undefined || durationNs === undefined) return undefined;
  const isCopyName = summary.names.map((name) => cudaOpKind(name) === 'copy');
  let copy = -1;
  let any = -1;
  for (let row = 0; row < durationNs.length; row++) {
    // A driver call inside a runtime call would be that call twice.
    if ((parent?.[row] ?? -1) >= 0) continue;
    const ns = durationNs[row] ?? 0;
    if (any < 0 || ns > (durationNs[any] ?? 0)) any = row;
    if (isCopyName[op[row] ?? -1] && (copy < 0 || ns > (durationNs[copy] ?? 0))) copy = row;
  }
  if (copy >= 0) return { row: copy, isCopy: true };
  return any >= 0 ? { row: any, isCopy: false } : undefined;
}
