import { codeOf, directions, hostMemoryKinds } from '../../shared/model/codes.ts';
import { NONE } from '../../shared/model/schema.ts';
import type { Trace } from '../../shared/model/trace.ts';
import { ROWS_OF_A_PIECE } from '../../shared/numbers/pieces.ts';
import { opKinds } from '../loop/loop-calls.ts';

/** Stands for all streams of the device. */
export const ALL_STREAMS = -(2 ** 31);

/** Of more streams than any job uses none is told apart: then only waits for the device count. */
const MAX_STREAMS = 128;

const D2H = codeOf(directions, 'D2H');
const PAGEABLE = codeOf(hostMemoryKinds, 'pageable');
const DEVICE_WAIT = /^(cuda|cu)(Device|Ctx|Thread)Sync/;
const STREAM_WAIT = /^(cuda|cu)StreamSync/;
const OTHER_WORK = /^(cuda|cu)(GraphLaunch|MemPrefetchAsync|LaunchHostFunc)|^graphLaunch/i;

/** What calls of one name may do, as bits. */
const SUBMITS = 1;
const WAITS_FOR_DEVICE = 2;
const WAITS_FOR_STREAM = 4;
const COPIES = 8;
/** Such a copy of pageable memory waits all the same. */
const COPIES_BEHIND = 16;

/** What one call did, as bits. */
export const HAS_SUBMITTED = 1;
/** It came back once what was submitted before, on its stream or all of them, was done. */
export const HAS_WAITED = 2;
/** It came back only when the work that it submitted itself was done. */
export const HAS_WAITED_FOR_ITSELF = 4;

/** What the calls of one process gave its device, and where they waited for it; those inside another call are part of it. */
export class DeviceCalls {
  readonly #calls: Trace['tables']['cuda_call']['columns'];
  readonly #isOurs: Uint8Array;
  readonly #doesOfOp: Uint8Array;
  /** Of the rows looked at so far: every stream, -1 for those that are not known. */
  readonly #streams = new Set<number>();
  #areStreamsToldApart: boolean;
  #looked = 0;

  constructor(trace: Trace, process: number) {
    this.#calls = trace.tables.cuda_call.columns;
    this.#isOurs = Uint8Array.from(trace.threads, (info) => (info.process === process ? 1 : 0));
    this.#doesOfOp = whatOpsDo(trace, usesOneDevice(trace, process));
    this.#areStreamsToldApart = this.#calls.stream !== undefined;
  }

  /** What row `row` of cuda_call did; 0 where that is nothing, or the call is of another process. */
  did(row: number): number {
    const { thread, op, parent, returnCode } = this.#calls;
    const does = this.#doesOfOp[op[row]];
    if (!(does > 0) || this.#isOurs[thread[row]] !== 1) return 0;
    if (parent !== undefined && parent[row] >= 0) return 0;
    const submitted = (does & SUBMITS) !== 0 ? HAS_SUBMITTED : 0;
    // A call that failed, or had not returned, waited for nothing.
    if (does === SUBMITS || (returnCode !== undefined && returnCode[row] !== 0)) return submitted;
    const copied = waitsForCopy(this.#calls, row, does);
    const waited = copied || (does & (WAITS_FOR_DEVICE | WAITS_FOR_STREAM)) !== 0;
    // A wait for a stream that is not known waits for none that is.
    const isToldFor = this.#areStreamsToldApart || (does & WAITS_FOR_DEVICE) !== 0;
    return (
      submitted | (copied ? HAS_WAITED_FOR_ITSELF : 0) | (waited && isToldFor ? HAS_WAITED : 0)
    );
  }

  /** The stream that row `row` submitted to; -1 = not known which. */
  submittedTo(row: number): number {
    return this.#areStreamsToldApart ? (this.#calls.stream?.[row] ?? NONE) : NONE;
  }

  /** The stream that row `row` waited for, or ALL_STREAMS. */
  waitedFor(row: number): number {
    return this.#waitsForAll(row) ? ALL_STREAMS : this.submittedTo(row);
  }

  #waitsForAll(row: number): boolean {
    return (this.#doesOfOp[this.#calls.op[row]] & WAITS_FOR_DEVICE) !== 0;
  }

  /** Whether all rows were looked at for the streams that they use: only then `submittedTo` and `waitedFor` are certain. */
  get areStreamsKnown(): boolean {
    return this.#looked === this.#calls.op.length;
  }

  /** Looks which streams the next piece of the rows used. */
  findStreams(): void {
    const from = this.#looked;
    this.#looked = Math.min(this.#calls.op.length, from + ROWS_OF_A_PIECE);
    this.#findStreams(from, this.#looked);
    if (this.#streams.size > MAX_STREAMS) this.#areStreamsToldApart = false;
  }

  #findStreams(from: number, to: number): void {
    const { stream } = this.#calls;
    if (stream === undefined || !this.#areStreamsToldApart) return;
    let last: number | undefined;
    for (let row = from; row < to; row++) {
      // Mostly the same as the one before.
      if (stream[row] === last) continue;
      last = stream[row];
      if (this.#streams.has(last)) continue;
      const did = this.did(row);
      const isUsed =
        (did & HAS_SUBMITTED) !== 0 || ((did & HAS_WAITED) !== 0 && !this.#waitsForAll(row));
      if (isUsed) this.#streams.add(last);
      else last = undefined;
    }
  }

  /** The streams of the process that are in the trace; where they are too many, one that stands for all. */
  streams(): ReadonlySet<number> {
    return this.#areStreamsToldApart && this.#streams.size > 0 ? this.#streams : new Set([NONE]);
  }
}

/** By operation, the bits of what it does. A wait for the device is one only where it is known which that is. */
function whatOpsDo(trace: Trace, knowsDevice: boolean): Uint8Array {
  const kindOf = opKinds(trace);
  const submitting: readonly string[] = ['copy', 'fill', 'launch'];
  return Uint8Array.from(trace.names, (name, op) => {
    const kind = kindOf[op];
    const submits = OTHER_WORK.test(name) || submitting.includes(kind) ? SUBMITS : 0;
    const device = DEVICE_WAIT.test(name) && knowsDevice ? WAITS_FOR_DEVICE : 0;
    const stream = STREAM_WAIT.test(name) ? WAITS_FOR_STREAM : 0;
    const copies = kind !== 'copy' ? 0 : /Async/.test(name) ? COPIES | COPIES_BEHIND : COPIES;
    return submits | device | stream | copies;
  });
}

/**
 * Copies to the host come back when the data is there, asynchronous ones if the memory is pageable;
 * copies to the device may come back before. “API synchronization behavior”, CUDA Runtime API manual.
 */
function waitsForCopy(
  { direction, hostMemory }: Trace['tables']['cuda_call']['columns'],
  row: number,
  does: number,
): boolean {
  if ((does & COPIES) === 0) return false;
  if (direction?.[row] !== D2H) return false;
  return (does & COPIES_BEHIND) === 0 || hostMemory?.[row] === PAGEABLE;
}

/**
 * A wait for “the device” is of the current one, which is not recorded. Launchers give each rank one, and who has
 * contexts on one GPU alone waits for no other.
 */
function usesOneDevice({ gpus, processes, contexts }: Trace, process: number): boolean {
  const { host: own = 0, localRank } = processes[process] ?? {};
  const used = new Set(contexts.filter((of) => of.process === process).map(({ gpu }) => gpu));
  if (used.size === 1 && !used.has(NONE)) return true;
  return localRank !== undefined || gpus.filter(({ host = 0 }) => host === own).length <= 1;
}
