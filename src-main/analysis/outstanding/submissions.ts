import { codeOf, directions, hostMemoryKinds } from '../../shared/model/codes.ts';
import { NONE } from '../../shared/model/schema.ts';
import type { Trace } from '../../shared/model/trace.ts';
import { opKinds } from '../loop/loop-calls.ts';

/** What a process gave its device, and where it waited for it. */
export interface Submissions {
  /** In order of entry. */
  readonly submitted: {
    readonly rows: readonly number[];
    /** -1 = not known which. */
    readonly streams: readonly number[];
    /** Whether the call itself came back only when its work was done. */
    readonly waitsItself: readonly boolean[];
  };
  /** In order of return. */
  readonly waited: {
    readonly rows: readonly number[];
    /** `undefined` = all streams of the device. */
    readonly streams: readonly (number | undefined)[];
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

/** One pass over the calls; those inside another call are part of it. */
export function submissionsOf(trace: Trace, process: number): Submissions {
  const { startNs, durationNs, thread, op, stream, parent } = trace.tables.cuda_call.columns;
  const isOurs = Uint8Array.from(trace.threads, (info) => (info.process === process ? 1 : 0));
  const submits = opTest(trace, OTHER_WORK, ['copy', 'fill', 'launch']);
  const isDeviceWait = opTest(trace, DEVICE_WAIT, []);
  const waitsOfOp = opTest(trace, STREAM_WAIT, []);
  const knowsDevice = usesOneDevice(trace, process);
  const submitted = { rows: [] as number[], streams: [] as number[], waitsItself: [] as boolean[] };
  const waits: number[] = [];
  for (let row = 0; row < startNs.length; row++) {
    if (isOurs[thread[row]] !== 1 || (parent?.[row] ?? -1) >= 0) continue;
    const waitsForAll = isDeviceWait[op[row]] === 1 && knowsDevice;
    const waitsItself = succeeded(trace, row) && waitsForCopy(trace, row);
    if (submits[op[row]] === 1) {
      submitted.rows.push(row);
      submitted.streams.push(stream?.[row] ?? -1);
      submitted.waitsItself.push(waitsItself);
    }
    if (waitsItself || (succeeded(trace, row) && (waitsForAll || waitsOfOp[op[row]] === 1)))
      waits.push(row);
  }
  waits.sort((a, b) => startNs[a] + durationNs[a] - (startNs[b] + durationNs[b]));
  const streams = waits.map((row) => (isDeviceWait[op[row]] === 1 ? undefined : stream?.[row]));
  // A wait for a stream that is not known waits for none that is.
  const known = waits.flatMap((_, at) =>
    streams[at] === undefined && isDeviceWait[op[waits[at]]] !== 1 ? [] : [at],
  );
  const all = new Set(submitted.streams);
  for (const at of known) if (streams[at] !== undefined) all.add(streams[at]);
  const waited = { rows: known.map((at) => waits[at]), streams: known.map((at) => streams[at]) };
  const found = { submitted, waited, streams: all.size > 0 ? all : new Set([-1]) };
  return all.size > MAX_STREAMS ? withoutStreams(found) : found;
}

/** All work on one stream that is not known, which no wait for a single stream waits for. */
function withoutStreams({ submitted, waited }: Submissions): Submissions {
  const rows = waited.rows.filter((_, at) => waited.streams[at] === undefined);
  return {
    submitted: { ...submitted, streams: submitted.streams.map(() => -1) },
    waited: { rows, streams: rows.map(() => undefined) },
    streams: new Set([-1]),
  };
}

/** By operation: 1 where its name matches or it is of one of `kinds`. */
function opTest(trace: Trace, pattern: RegExp, kinds: readonly string[]): Uint8Array {
  const kindOf = opKinds(trace);
  return Uint8Array.from(trace.names, (name, op) =>
    pattern.test(name) || kinds.includes(kindOf[op]) ? 1 : 0,
  );
}

/** A call that failed, or had not returned, waited for nothing. */
function succeeded(trace: Trace, row: number): boolean {
  const { returnCode } = trace.tables.cuda_call.columns;
  return returnCode === undefined || returnCode[row] === 0;
}

/**
 * Copies to the host come back when the data is there, asynchronous ones if the memory is pageable;
 * copies to the device may come back before. “API synchronization behavior”, CUDA Runtime API manual.
 */
function waitsForCopy(trace: Trace, row: number): boolean {
  const { op, direction, hostMemory } = trace.tables.cuda_call.columns;
  if (direction?.[row] !== D2H || opKinds(trace)[op[row]] !== 'copy') return false;
  return !/Async/.test(trace.names[op[row]]) || hostMemory?.[row] === PAGEABLE;
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
