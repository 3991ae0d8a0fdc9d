import type { CallRank } from '../../shared/answers/explanation.ts';
import { directions } from '../../shared/model/codes.ts';
import { cudaOpKind } from '../../shared/model/cuda-ops.ts';
import { sizeBucket, sizeBucketLimits, sizeBucketNames } from '../../shared/model/size-bucket.ts';
import type { Trace } from '../../shared/model/trace.ts';
import { inPieces, type Pieces } from '../../shared/numbers/pieces.ts';
import { callDevices } from './call-devices.ts';
import { type CountedDurations, DurationCounter } from './counted-durations.ts';

/** Calls of one operation, direction and size bucket on one machine: those a call is compared with. */
export interface ComparableCalls {
  readonly durations: CountedDurations;
  readonly medianNs: number;
  readonly p95Ns: number;
  readonly name: string;
}

interface CallTraits {
  readonly op: number;
  /** -1 where the operation is no copy. */
  readonly direction: number;
  readonly bucket: number;
  readonly device: number;
}

function traitsOf(trace: Trace, call: number): CallTraits {
  const { op, direction, bytes } = trace.tables.cuda_call.columns;
  const isCopy = cudaOpKind(trace.names[op[call]] ?? '') === 'copy';
  return {
    op: op[call],
    direction: isCopy && direction !== undefined ? direction[call] : -1,
    bucket: sizeBucket(bytes?.[call] ?? -1),
    device: callDevices(trace).of(call),
  };
}

/** Equal for calls that are compared with each other. */
export function comparableKey(trace: Trace, call: number): string {
  const { op, direction, bucket, device } = traitsOf(trace, call);
  return `${op} ${direction} ${bucket} ${device}`;
}

/** The calls like `call`, itself among them: one pass over the calls, in pieces. */
export function* comparableCalls(trace: Trace, call: number): Pieces<ComparableCalls> {
  const { columns, rows } = trace.tables.cuda_call;
  const traits = traitsOf(trace, call);
  const isComparable = comparableTest(columns, traits);
  const devices = callDevices(trace);
  const { op, durationNs } = columns;
  const counter = new DurationCounter();
  yield* inPieces(rows, (from, to) => {
    for (let row = from; row < to; row++)
      if (op[row] === traits.op && devices.of(row) === traits.device && isComparable(row))
        counter.add(durationNs[row]);
  });
  yield;
  const durations = yield* counter.counted();
  const [medianNs, p95Ns] = yield* durations.percentiles([50, 95]);
  return { durations, medianNs, p95Ns, name: describe(trace, traits, devices.nameOf(call)) };
}

function comparableTest(
  { direction, bytes }: Trace['tables']['cuda_call']['columns'],
  traits: CallTraits,
): (row: number) => boolean {
  const above = traits.bucket > 0 ? sizeBucketLimits[traits.bucket - 1] : -1;
  const limit = sizeBucketLimits[traits.bucket] ?? Infinity;
  return (row) => {
    if (traits.direction !== -1 && direction?.[row] !== traits.direction) return false;
    const size = bytes?.[row] ?? -1;
    return traits.bucket === -1 ? size < 0 : size > above && size <= limit;
  };
}

function describe(
  trace: Trace,
  { op, direction, bucket }: CallTraits,
  device: string | undefined,
): string {
  const parts = [trace.names[op] ?? 'unknown'];
  const direct = directions[direction];
  if (direct !== undefined && direct !== 'none' && direct !== 'unknown') parts.push(direct);
  if (bucket !== -1) parts.push(sizeBucketNames[bucket]);
  if (device !== undefined) parts.push(device);
  return parts.join(' · ');
}

/** Where `durationNs` stands among `calls`; calls that took equally long share the better rank. */
export function rankAmong(calls: ComparableCalls, durationNs: number): Omit<CallRank, 'partial'> {
  const { durations, medianNs, p95Ns, name } = calls;
  const { count, maxNs } = durations;
  return {
    ...{ rank: durations.longerThan(durationNs) + 1, of: count },
    ...{ medianNs, p95Ns, maxNs, peers: name },
  };
}
