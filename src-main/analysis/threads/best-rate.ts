import type { CallMemory } from '../../shared/answers/explanation.ts';
import { directions } from '../../shared/model/codes.ts';
import { cudaOpKind } from '../../shared/model/cuda-ops.ts';
import type { Trace } from '../../shared/model/trace.ts';
import { inPieces, type Pieces } from '../../shared/numbers/pieces.ts';
import { callDevices } from '../index/call-devices.ts';
import { perTraceInPieces } from '../index/per-trace.ts';
import {
  copyCall,
  hostMemoryOf,
  JUDGED_ABOVE_BYTES,
  queuedCopies,
  rateOf,
} from '../operations/copy-facts.ts';

type Best = NonNullable<CallMemory['bestRate']>;

/** Where pageable memory is only inferred from a call’s duration, a smaller copy may just have been queued. */
const INFERRED_FROM_BYTES = 16 * 2 ** 20;

/**
 * The fastest copy in the direction of `call` whose rate is known, on its machine and kind of GPU; small
 * ones are not judged.
 */
export function bestRateOf(trace: Trace, call: number): Best | undefined {
  return bestRates.of(trace)[waysOf(trace)(call)];
}

/** Tells a number of each call, equal for copies of one direction on one machine and kind of GPU. */
function waysOf(trace: Trace): (call: number) => number {
  const { direction } = trace.tables.cuda_call.columns;
  const devices = callDevices(trace);
  return (call) => devices.of(call) * directions.length + (direction?.[call] ?? 0);
}

/** By direction and place: one pass over the calls, and one over the GPU’s own records. */
const bestRates = perTraceInPieces(function* (trace): Pieces<readonly (Best | undefined)[]> {
  const best: (Best | undefined)[] = [];
  const { columns, rows } = trace.tables.cuda_call;
  const { op, bytes, durationNs, direction } = columns;
  if (bytes === undefined || direction === undefined) return best;
  const isCopy = Uint8Array.from(trace.names, (name) => (cudaOpKind(name) === 'copy' ? 1 : 0));
  const wayOf = waysOf(trace);
  const hasNoRate = queuedCopies(trace);
  const consider = (call: number, mostBytesPerNs: number) => {
    const way = wayOf(call);
    const knownBytesPerNs = best[way]?.bytesPerNs ?? 0;
    if (mostBytesPerNs <= knownBytesPerNs || hasNoRate(call)) return;
    const bytesPerNs = certainRate(trace, call);
    if (bytesPerNs !== undefined && bytesPerNs > knownBytesPerNs) best[way] = { bytesPerNs, call };
  };
  yield* inPieces(rows, (from, to) => {
    for (let call = from; call < to; call++)
      if (isCopy[op[call]] === 1 && bytes[call] > JUDGED_ABOVE_BYTES)
        consider(call, bytes[call] / durationNs[call]);
  });
  yield;
  const submitters = trace.tables.gpu_work.columns.call ?? [];
  yield* inPieces(submitters.length, (from, to) => {
    for (let work = from; work < to; work++) {
      const call = submitters[work];
      if (call >= 0 && isCopy[op[call]] === 1) consider(call, Infinity);
    }
  });
  return best;
});

/** Works out ahead, piece by piece, what bestRateOf tells of any call. */
export const bestRatesAhead = bestRates.ahead;

function certainRate(trace: Trace, call: number): number | undefined {
  const copy = copyCall(trace, call, 0);
  const memory = hostMemoryOf(trace, call, copy);
  const rate = rateOf(trace, call, copy, memory);
  const guessed = copy.isAsync && memory.basis === 'inferred' && rate?.basis !== 'exact';
  return guessed && copy.bytes < INFERRED_FROM_BYTES ? undefined : rate?.bytesPerNs;
}
