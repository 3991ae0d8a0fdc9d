import { cudaOpKind } from '../../shared/model/cuda-ops.ts';
import { atOnce, inPieces, type Pieces } from '../../shared/numbers/pieces.ts';
import { rememberInPieces } from '../model/remember.ts';
import type { TraceData } from '../model/trace-data.ts';

export interface SlowestCall {
  readonly row: number;
  readonly isCopy: boolean;
}

/** The slowest outermost copy of a trace, or its slowest call where there is no copy. */
export const slowestCall = (data: TraceData): SlowestCall | undefined =>
  atOnce(slowestCallInPieces(data));

/** As slowestCall, in pieces: all calls are looked at, once. */
export function* slowestCallInPieces({
  summary,
  tables,
}: TraceData): Pieces<SlowestCall | undefined> {
  const calls = tables.cuda_call;
  const { op, durationNs, parent } = calls ?? {};
  if (calls === undefined || op === undefined || durationNs === undefined) return undefined;
  return yield* rememberInPieces(calls, 'slowest', function* () {
    const isCopyName = summary.names.map((name) => cudaOpKind(name) === 'copy');
    let copy = -1;
    let any = -1;
    yield* inPieces(durationNs.length, (from, to) => {
      for (let row = from; row < to; row++) {
        // A driver call inside a runtime call would be that call twice.
        if ((parent?.[row] ?? -1) >= 0) continue;
        const ns = durationNs[row] ?? 0;
        if (any < 0 || ns > (durationNs[any] ?? 0)) any = row;
        if (isCopyName[op[row] ?? -1] && (copy < 0 || ns > (durationNs[copy] ?? 0))) copy = row;
      }
    });
    if (copy >= 0) return { row: copy, isCopy: true };
    return any >= 0 ? { row: any, isCopy: false } : undefined;
  });
}
