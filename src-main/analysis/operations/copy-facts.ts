import type { CallExplanation } from '../../shared/answers/explanation.ts';
import { codeOf, type Direction, directions, hostMemoryKinds } from '../../shared/model/codes.ts';
import { cudaOpKind } from '../../shared/model/cuda-ops.ts';
import { NONE } from '../../shared/model/schema.ts';
import type { Trace } from '../../shared/model/trace.ts';
import { formatRate } from '../../shared/text/units.ts';
import { onceFor } from '../index/per-trace.ts';
import { copyRecordOf, copyRecords } from './gpu-record.ts';

/** Copies up to this size take as long as their launch: they are not judged by rate. */
export const JUDGED_ABOVE_BYTES = 64 * 2 ** 10;
/** Below this size the driver may stage even a pageable copy and return at once. */
const BLOCKS_FROM_BYTES = 2 ** 20;
/**
 * An asynchronous copy that returns sooner than its data could cross PCIe 4.0 ×16 (32 GB/s raw)
 * returned at enqueue. One that takes longer blocked, as copies of pageable memory may and others
 * should not: “API synchronization behavior” in the CUDA Runtime API manual.
 */
const BLOCKED_AT_MOST_BYTES_PER_NS = 30;
/**
 * No transfer is slower than this: even a staging copy of pageable memory over PCIe 3.0 ×4 passes
 * 1 GB/s. A call that takes longer waited for something else.
 */
const TRANSFERRED_AT_LEAST_BYTES_PER_NS = 1;

/** One CUDA call as the rules below see it. */
export interface CopyCall {
  readonly name: string;
  readonly isCopy: boolean;
  readonly isAsync: boolean;
  readonly direction: Direction;
  readonly bytes: number;
  readonly durationNs: number;
  /** The duration without the time its thread is known to have been off the CPU. */
  readonly heldNs: number;
}

/** What its name says of each operation, by index into names. */
const namedCopies = onceFor(
  ({ names }: Pick<Trace, 'names'>): Trace['names'] => names,
  ({ names }) =>
    names.map((name) => ({ isCopy: cudaOpKind(name) === 'copy', isAsync: /Async/.test(name) })),
);

const UNNAMED = { isCopy: false, isAsync: false };

const namedOf = (trace: Trace, call: number) =>
  namedCopies(trace)[trace.tables.cuda_call.columns.op[call]] ?? UNNAMED;

/** Whether `call` copies memory: only copies have a rate. */
export const isCopyCall = (trace: Trace, call: number): boolean => namedOf(trace, call).isCopy;

/** The facts of `call` that decide what may be said about its rate and memory. */
export function copyCall(trace: Trace, call: number, offCpuNs: number): CopyCall {
  const { op, direction, bytes, durationNs } = trace.tables.cuda_call.columns;
  const { isCopy, isAsync } = namedOf(trace, call);
  const recorded = directions[direction?.[call] ?? 0] ?? 'unknown';
  return {
    name: trace.names[op[call]] ?? 'unknown',
    isCopy,
    isAsync,
    direction: isCopy && recorded === 'none' ? 'unknown' : recorded,
    bytes: bytes?.[call] ?? -1,
    durationNs: durationNs[call],
    heldNs: durationNs[call] - offCpuNs,
  };
}

/** Whether the copy has an end in host memory. */
export function touchesHost({ isCopy, direction }: CopyCall): boolean {
  return isCopy && (direction === 'H2D' || direction === 'D2H');
}

/** Pinned or pageable: as recorded, else pageable where an asynchronous copy blocked, else unknown. */
export function hostMemoryOf(
  trace: Trace,
  call: number,
  copy: CopyCall,
): CallExplanation['hostMemory'] {
  const { columns, columnProvenance } = trace.tables.cuda_call;
  const byRecord = recordedMemory(trace, call);
  if (byRecord !== undefined) return byRecord;
  const recorded = hostMemoryKinds[columns.hostMemory?.[call] ?? 0] ?? 'unknown';
  if (recorded !== 'unknown') {
    const provenance = columnProvenance.hostMemory;
    const basis = provenance?.kind === 'inferred' ? 'inferred' : 'exact';
    return { kind: recorded, basis, note: provenance?.note || 'As recorded.' };
  }
  if (!touchesHost(copy)) return unknownMemory('Not a copy to or from host memory.');
  if (!copy.isAsync)
    return unknownMemory('A synchronous copy takes its time from either kind of memory.');
  if (copy.bytes < BLOCKS_FROM_BYTES)
    return unknownMemory('Too small to tell: below 1 MiB either kind can return at once.');
  if (hasOnlyQueued(copy))
    return unknownMemory('The call returned before its data can have crossed the bus.');
  const rate = formatRate(copy.bytes, copy.heldNs);
  if (copy.bytes < copy.heldNs * TRANSFERRED_AT_LEAST_BYTES_PER_NS)
    return unknownMemory(
      `The call held its thread far longer than any transfer of this size takes (${rate}).`,
    );
  const note = `An asynchronous copy of pinned memory returns at enqueue; this one held its thread for as long as a transfer at ${rate} takes. A full launch queue or a thread off the CPU can look the same.`;
  return { kind: 'pageable', basis: 'inferred', note };
}

/** As the GPU's own record of the copy says; registered memory it calls pinned, which it is. */
function recordedMemory(trace: Trace, call: number): CallExplanation['hostMemory'] | undefined {
  const work = copyRecordOf(trace, call);
  const { direction, sourceMemory, destinationMemory } = trace.tables.gpu_work.columns;
  const { kind: known } = trace.tables.gpu_work.provenance;
  if (work === NONE || (known !== 'exact' && known !== 'partial')) return undefined;
  const way = directions[direction?.[work] ?? 0];
  const column = way === 'H2D' ? sourceMemory : way === 'D2H' ? destinationMemory : undefined;
  const kind = hostMemoryKinds[column?.[work] ?? 0] ?? 'unknown';
  const called = hostMemoryKinds[trace.tables.cuda_call.columns.hostMemory?.[call] ?? 0];
  if (kind === 'unknown') return undefined;
  const isRegistered = kind === 'pinned' && called === 'registered';
  const note = 'As the GPU’s own record of the copy says.';
  return { kind: isRegistered ? 'registered' : kind, basis: 'exact', note };
}

function unknownMemory(note: string): CallExplanation['hostMemory'] {
  return { kind: 'unknown', basis: 'unknown', note };
}

/**
 * The rate of a copy above 64 KiB: the GPU's own record of it where there is one, else size over the
 * call's duration. `undefined` for small copies, and where the call may have ended before the transfer.
 */
export function rateOf(
  trace: Trace,
  call: number,
  copy: CopyCall,
  memory: CallExplanation['hostMemory'],
): CallExplanation['rate'] {
  if (!copy.isCopy || copy.bytes <= JUDGED_ABOVE_BYTES) return undefined;
  const recorded = gpuRate(trace, call);
  if (recorded !== undefined) return recorded;
  if (copy.durationNs === 0 || mayReturnAtEnqueue(copy, memory)) return undefined;
  const bytesPerNs = copy.bytes / copy.durationNs;
  const note = copy.isAsync
    ? 'Size over the call’s duration, which is not the transfer’s: a copy of pinned memory returns at enqueue, one of pageable memory first waits for earlier work on its stream.'
    : 'Size over the call’s duration, which includes waiting for earlier work on its stream.';
  return { bytesPerNs, basis: 'inferred', note };
}

/** Whether the call's duration may say nothing of the transfer's: it may only have queued the copy. */
function mayReturnAtEnqueue(copy: CopyCall, memory: CallExplanation['hostMemory']): boolean {
  if (!copy.isAsync || copy.direction === 'H2H') return false;
  if (!touchesHost(copy) || memory.kind !== 'pageable') return true;
  return hasOnlyQueued(copy);
}

/** Whether the call returned sooner than its data can have crossed the bus, whatever its memory: it only queued the copy. */
function hasOnlyQueued({ isAsync, direction, bytes, heldNs }: CopyCall): boolean {
  return isAsync && direction !== 'H2H' && isTooFast(bytes, heldNs);
}

const isTooFast = (bytes: number, ns: number) => bytes > ns * BLOCKED_AT_MOST_BYTES_PER_NS;

/** Tells of each call whether it is a copy without a rate, as it only queued it: for what looks at all of them. */
export function queuedCopies(trace: Trace): (call: number) => boolean {
  const { op, direction, bytes, durationNs } = trace.tables.cuda_call.columns;
  if (bytes === undefined) return () => false;
  const records = copyRecords(trace);
  const named = namedCopies(trace);
  const isQueued = Uint8Array.from(named, ({ isCopy, isAsync }) => (isCopy && isAsync ? 1 : 0));
  return (call) =>
    isQueued[op[call]] === 1 &&
    isTooFast(bytes[call], durationNs[call]) &&
    direction?.[call] !== H2H &&
    (records[call] ?? NONE) === NONE;
}

const H2H = codeOf(directions, 'H2H');

/**
 * How fast its data came as the caller sees it: size over the time from the call's entry until the GPU had
 * done the copy, waits for earlier work included. Only by the GPU's own record of it.
 */
export function effectiveRateOf(
  trace: Trace,
  call: number,
  copy: CopyCall,
): CallExplanation['effectiveRate'] {
  const { startNs, durationNs } = trace.tables.gpu_work.columns;
  const work = copyRecordOf(trace, call);
  if (work === NONE || copy.bytes <= JUDGED_ABOVE_BYTES) return undefined;
  const ns = startNs[work] + durationNs[work] - trace.tables.cuda_call.columns.startNs[call];
  return ns > 0 ? { bytesPerNs: copy.bytes / ns, ns } : undefined;
}

function gpuRate(trace: Trace, call: number): CallExplanation['rate'] {
  const { columns, provenance } = trace.tables.gpu_work;
  const work = copyRecordOf(trace, call);
  const bytes = columns.bytes?.[work] ?? -1;
  if (work === NONE || bytes <= 0 || columns.durationNs[work] === 0) return undefined;
  const basis = provenance.kind === 'exact' || provenance.kind === 'partial' ? 'exact' : 'inferred';
  const note = 'From the GPU’s own record of the copy.';
  return { bytesPerNs: bytes / columns.durationNs[work], basis, note };
}
