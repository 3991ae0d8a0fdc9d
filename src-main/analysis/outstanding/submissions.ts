import { codeOf, directions, hostMemoryKinds } from '../../shared/model/codes.ts';
import { NONE } from '../../shared/model/schema.ts';
import type { Trace } from '../../shared/model/trace.ts';
import { endsPiece, type Pieces } from '../../shared/numbers/pieces.ts';
import { opKinds } from '../loop/loop-calls.ts';

/** Stands for all streams of the device. */
export const ALL_STREAMS = -(2 ** 31);

/** What a process gave its device, and where it waited for it. */
export interface Submissions {
  /** In order of entry. */
  readonly submitted: {
    readonly rows: Uint32Array;
    /** -1 = not known which. */
    readonly streams: Int32Array;
    /** 1 where the call itself came back only when its work was done. */
    readonly waitsItself: Uint8Array;
  };
  /** In order of return. */
  readonly waited: {
    readonly rows: Uint32Array;
    /** Or ALL_STREAMS. */
    readonly streams: Int32Array;
  };
  /** Every stream of the process that is in the trace, -1 for those that are not known. */
  readonly streams: ReadonlySet<number>;
}

/** Of more streams than any job uses none is told apart: then only waits for the device count. */
const MAX_STREAMS = 128;

const D2H = codeOf(directions, 'D2H');
const PAGEABLE = codeOf(hostMemoryKinds, 'pageable');
const DEVICE_WAIT = /^(cuda|cu)(Device|Ctx|Thread)Sync/;
const STREAM_WAIT = /^(cuda|cu)StreamSync/;
const OTHER_WORK = /^(cuda|cu)(GraphLaunch|MemPrefetchAsync|LaunchHostFunc)|^graphLaunch/i;

/** What calls of one name do, as bits. */
const SUBMITS = 1;
const WAITS_FOR_DEVICE = 2;
const WAITS_FOR_STREAM = 4;
const COPIES = 8;
/** Such a copy of pageable memory waits all the same. */
const COPIES_BEHIND = 16;

/** Two passes over the calls, in pieces; those inside another call are part of it. */
export function* submissionsOf(trace: Trace, process: number): Pieces<Submissions> {
  const { thread, op, stream, parent, returnCode } = trace.tables.cuda_call.columns;
  const isOurs = Uint8Array.from(trace.threads, (info) => (info.process === process ? 1 : 0));
  const doesOfOp = whatOpsDo(trace, usesOneDevice(trace, process));
  let most = 0;
  for (let row = 0; row < op.length; row++) {
    if (endsPiece(row)) yield;
    if (isOurs[thread[row]] === 1 && doesOfOp[op[row]] > 0) most++;
  }
  const rows = new Uint32Array(most);
  const streams = new Int32Array(most);
  const waitsItself = new Uint8Array(most);
  const waits = new Uint32Array(most);
  let submitted = 0;
  let waited = 0;
  for (let row = 0; row < op.length; row++) {
    if (endsPiece(row)) yield;
    const does = doesOfOp[op[row]];
    if (isOurs[thread[row]] !== 1 || !(does > 0) || (parent !== undefined && parent[row] >= 0))
      continue;
    // A call that failed, or had not returned, waited for nothing.
    const succeeded = returnCode === undefined || returnCode[row] === 0;
    const copied = succeeded && waitsForCopy(trace, row, does);
    if ((does & SUBMITS) !== 0) {
      rows[submitted] = row;
      streams[submitted] = stream === undefined ? -1 : stream[row];
      waitsItself[submitted++] = copied ? 1 : 0;
    }
    if (copied || (succeeded && (does & (WAITS_FOR_DEVICE | WAITS_FOR_STREAM)) !== 0))
      waits[waited++] = row;
  }
  yield;
  const found = {
    submitted: {
      rows: rows.slice(0, submitted),
      streams: streams.slice(0, submitted),
      waitsItself: waitsItself.slice(0, submitted),
    },
    waited: waitedStreams(trace, inOrderOfReturn(trace, waits.subarray(0, waited)), doesOfOp),
  };
  yield;
  const all = new Set<number>();
  addDistinct(found.submitted.streams, all);
  addDistinct(found.waited.streams, all);
  all.delete(ALL_STREAMS);
  const known = { ...found, streams: all.size > 0 ? all : new Set([-1]) };
  return all.size > MAX_STREAMS ? withoutStreams(known) : known;
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

/** Rows in the order in which their calls came back. */
function inOrderOfReturn(trace: Trace, rows: Uint32Array): Uint32Array {
  const { startNs, durationNs } = trace.tables.cuda_call.columns;
  const endOf = (row: number) => startNs[row] + durationNs[row];
  // Those of one thread are in order already.
  let at = 1;
  while (at < rows.length && endOf(rows[at]) >= endOf(rows[at - 1])) at++;
  if (at >= rows.length) return rows;
  return Uint32Array.from([...rows].sort((a, b) => endOf(a) - endOf(b)));
}

/** Adds all of `values` to `all`: mostly the same as the one before. */
function addDistinct(values: Int32Array, all: Set<number>): void {
  for (let at = 0; at < values.length; at++)
    if (at === 0 || values[at] !== values[at - 1]) all.add(values[at]);
}

/** For which stream each of `rows` waited. A wait for a stream that is not known waits for none that is: it is left out. */
function waitedStreams(
  trace: Trace,
  rows: Uint32Array,
  doesOfOp: Uint8Array,
): Submissions['waited'] {
  const { op, stream } = trace.tables.cuda_call.columns;
  const isForAll = (row: number) => (doesOfOp[op[row]] & WAITS_FOR_DEVICE) !== 0;
  const known = stream === undefined ? rows.filter(isForAll) : rows.slice();
  const streams = new Int32Array(known.length).fill(ALL_STREAMS);
  for (let at = 0; at < known.length; at++)
    if (stream !== undefined && !isForAll(known[at])) streams[at] = stream[known[at]];
  return { rows: known, streams };
}

/** All work on one stream that is not known, which no wait for a single stream waits for. */
function withoutStreams({ submitted, waited }: Submissions): Submissions {
  const rows = waited.rows.filter((_, at) => waited.streams[at] === ALL_STREAMS);
  return {
    submitted: { ...submitted, streams: new Int32Array(submitted.rows.length).fill(-1) },
    waited: { rows, streams: new Int32Array(rows.length).fill(ALL_STREAMS) },
    streams: new Set([-1]),
  };
}

/**
 * Copies to the host come back when the data is there, asynchronous ones if the memory is pageable;
 * copies to the device may come back before. “API synchronization behavior”, CUDA Runtime API manual.
 */
function waitsForCopy({ tables }: Trace, row: number, does: number): boolean {
  if ((does & COPIES) === 0) return false;
  const { direction, hostMemory } = tables.cuda_call.columns;
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
