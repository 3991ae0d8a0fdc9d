import type { Rank } from '../../shared/answers/jobs.ts';
import type { TimeSpan } from '../../shared/answers/summary.ts';
import type { HostMemoryKind } from '../../shared/model/codes.ts';
import type { EventRefs } from '../../shared/model/event-ref.ts';
import { NONE } from '../../shared/model/schema.ts';
import type { Trace } from '../../shared/model/trace.ts';
import { deviceSpans, nsWithin } from '../gpu/device-spans.ts';
import { devicesOf } from '../gpu/devices.ts';
import { isH2d, type LoopCalls, loopCalls } from '../loop/loop-calls.ts';
import { copyCall, hostMemoryOf, JUDGED_ABOVE_BYTES } from '../operations/copy-facts.ts';
import { copyRecordOf } from '../operations/gpu-record.ts';
import { streamEmptyAt } from '../outstanding/stream-empty.ts';
import { EventList } from '../threads/event-list.ts';
import { cameBackWithData, lastOf } from './logical-copies.ts';

/** Copies to the device of memory of one kind. */
export interface CopyGroup {
  readonly memory: 'pinned' | 'registered' | 'managed' | 'pageable' | 'unknown';
  readonly exact: boolean;
  readonly calls: number;
  readonly bytes: number;
  readonly ns: number;
  /** Of these calls, those entered with their stream provably empty; -1 = not known. */
  readonly onEmptyStream: number;
  readonly onEmptyStreamNs: number;
  /** Of these calls, those of which the GPU's own record is in the trace. */
  readonly recorded: number;
  /** Their bytes, and how long the GPU took over them. */
  readonly recordedBytes: number;
  readonly recordedNs: number;
  /** Of that, how long it computed beside them. */
  readonly besideKernelsNs: number;
  /** The fastest of those on an empty stream whose time is the transfer's; absent = none is. */
  readonly bestBytesPerNs?: number;
  /** ns of the calls by their stack, -1 = not known. */
  readonly byStack: ReadonlyMap<number, number>;
  readonly events: EventRefs;
}

/** The sums of a group while they are made. */
class GroupSums {
  calls = 0;
  bytes = 0;
  ns = 0;
  onEmptyStream = 0;
  onEmptyStreamNs = 0;
  recorded = 0;
  recordedBytes = 0;
  recordedNs = 0;
  besideKernelsNs = 0;
  bestBytesPerNs = 0;
  canTellEmpty = false;
  readonly byStack = new Map<number, number>();
  readonly events = new EventList('cuda_call');
  readonly memory: HostMemoryKind;
  readonly exact: boolean;

  constructor(memory: HostMemoryKind, exact: boolean) {
    this.memory = memory;
    this.exact = exact;
  }

  group(): CopyGroup {
    const { memory, exact, calls, bytes, ns, onEmptyStreamNs, bestBytesPerNs } = this;
    const { recorded, recordedBytes, recordedNs, besideKernelsNs } = this;
    return {
      memory,
      exact,
      calls,
      bytes,
      ns,
      onEmptyStream: this.canTellEmpty ? this.onEmptyStream : -1,
      onEmptyStreamNs,
      ...{ recorded, recordedBytes, recordedNs, besideKernelsNs },
      ...(bestBytesPerNs > 0 && { bestBytesPerNs }),
      byStack: this.byStack,
      events: this.events.refs(),
    };
  }
}

/**
 * The copies to the device above 64 KiB that the threads of `rank` entered within `window`, by kind
 * of host memory, most time first. A copy's time is its call's with the synchronisation that directly
 * follows. The best rate is of copies entered with all earlier work done that came back with the data
 * in place.
 */
export function h2dGroups(trace: Trace, rank: Rank, window: TimeSpan): CopyGroup[] {
  const groups = new Map<string, GroupSums>();
  for (const thread of rank.cudaThreads) addCopies(trace, loopCalls(trace, thread), window, groups);
  return [...groups.values()].map((sums) => sums.group()).sort((a, b) => b.ns - a.ns);
}

function addCopies(
  trace: Trace,
  calls: LoopCalls,
  [fromNs, toNs]: TimeSpan,
  groups: Map<string, GroupSums>,
): void {
  const { bytes, offCpuNs, hostMemory, stack } = trace.tables.cuda_call.columns;
  for (let at = 0; at < calls.rows.length; at++) {
    const row = calls.rows[at];
    const size = bytes?.[row] ?? -1;
    if (size <= JUDGED_ABOVE_BYTES || !isH2d(trace, row)) continue;
    if (calls.startsNs.nsAt(at) < fromNs || calls.startsNs.nsAt(at) >= toNs) continue;
    const isEmpty = streamEmptyAt(trace, row);
    const copy = copyCall(trace, row, Math.max(0, offCpuNs?.[row] ?? 0));
    const recorded = hostMemoryOf(trace, row, copy);
    // That a call took its time says pageable only where nothing else can have held it.
    const isGuess = recorded.basis === 'inferred' && (hostMemory?.[row] ?? 0) === 0;
    const memory = isGuess && isEmpty !== true ? 'unknown' : recorded.kind;
    const exact = recorded.basis === 'exact';
    const key = `${memory} ${exact}`;
    const sums = groups.get(key) ?? new GroupSums(memory, exact);
    groups.set(key, sums);
    const last = lastOf(trace, calls, at);
    const ns = calls.endsNs.nsAt(last) - calls.startsNs.nsAt(at);
    sums.calls++;
    sums.bytes += size;
    sums.ns += ns;
    sums.events.add(row, ns);
    const from = stack?.[row] ?? NONE;
    sums.byStack.set(from, (sums.byStack.get(from) ?? 0) + ns);
    addRecord(trace, copyRecordOf(trace, row), sums);
    if (isEmpty !== undefined) sums.canTellEmpty = true;
    if (isEmpty !== true) continue;
    sums.onEmptyStream++;
    sums.onEmptyStreamNs += ns;
    if (ns > 0 && cameBackWithData(trace, calls, at, last, memory === 'pageable'))
      sums.bestBytesPerNs = Math.max(sums.bestBytesPerNs, size / ns);
  }
}

/** What the GPU's own record of the copy says. */
function addRecord(trace: Trace, record: number, sums: GroupSums): void {
  if (record === NONE) return;
  const { startNs, durationNs, bytes } = trace.tables.gpu_work.columns;
  const device = devicesOf(trace).deviceOf(record);
  sums.recorded++;
  sums.recordedBytes += Math.max(0, bytes?.[record] ?? 0);
  sums.recordedNs += durationNs[record];
  sums.besideKernelsNs += nsWithin(
    deviceSpans(trace, device).computing,
    startNs[record],
    startNs[record] + durationNs[record],
  );
}
