import { hostMemoryKinds } from '../../shared/model/codes.ts';
import { NONE } from '../../shared/model/schema.ts';
import type { Trace } from '../../shared/model/trace.ts';
import { percentiles } from '../../shared/numbers/percentile.ts';
import { devicesOf } from '../gpu/devices.ts';
import { recordLimits } from '../gpu/record-limits.ts';
import { isH2d, type LoopCalls, opKinds } from '../loop/loop-calls.ts';
import { JUDGED_ABOVE_BYTES } from '../operations/copy-facts.ts';
import { copyRecordOf } from '../operations/gpu-record.ts';
import { streamEmptyAt } from '../outstanding/stream-empty.ts';

/** A copy to the device, with the synchronisation that directly follows it. */
export interface LogicalCopy {
  /** Index into the calls of the last call of it. */
  readonly last: number;
  /** From when on it is counted as copying: before, it may have waited for earlier work. */
  readonly copiesFromNs: number;
}

/** A synchronisation that begins later after a copy is not part of it. */
const FOLLOWS_WITHIN_NS = 1e6;
/** No transfer is slower (copy-facts.ts), nor does submitting one take longer than this on top. */
const SLOWEST_BYTES_PER_NS = 1;
const OVERHEAD_NS = 20_000;

/**
 * Judges the copies among `calls`. A copy that was entered with all earlier work done is a copy from
 * begin to end. Any other one waits for that work first: by the GPU's own record of it, it is copying from
 * when that work had ended. Without a record only its last part is counted as copying, as
 * long as a copy of its size takes at the median rate of those that did not wait, else at 1 GB/s.
 */
export function copyJudge(trace: Trace, calls: LoopCalls): (at: number) => LogicalCopy | undefined {
  const rates = emptyStreamRates(trace, calls);
  const { bytes, hostMemory } = trace.tables.cuda_call.columns;
  return (at) => {
    const row = calls.rows[at];
    if (!isH2d(trace, row)) return undefined;
    const last = lastOf(trace, calls, at);
    if (streamEmptyAt(trace, row) === true) return { last, copiesFromNs: calls.startsNs.nsAt(at) };
    const freeNs = streamFreeNs(trace, row);
    if (freeNs !== undefined)
      return { last, copiesFromNs: Math.max(calls.startsNs.nsAt(at), freeNs) };
    const rate = rates[hostMemory?.[row] ?? 0] ?? SLOWEST_BYTES_PER_NS;
    const copyNs = Math.round(Math.max(0, bytes?.[row] ?? 0) / rate) + OVERHEAD_NS;
    return {
      last,
      copiesFromNs: Math.max(calls.startsNs.nsAt(at), calls.endsNs.nsAt(last) - copyNs),
    };
  };
}

/**
 * When nothing held the copy of `call` any more, by the GPU's own records: the end of what its process had
 * run last before that copy. Where it ran something beside it, or its kernels are not recorded, the copy's begin on the GPU.
 */
function streamFreeNs(trace: Trace, call: number): number | undefined {
  const record = copyRecordOf(trace, call);
  if (record < 0) return undefined;
  const { startNs } = trace.tables.gpu_work.columns;
  const beganNs = startNs[record];
  const { thread } = trace.tables.cuda_call.columns;
  const process = trace.threads[thread[call]]?.process ?? NONE;
  if (recordLimits(trace, process).blind !== undefined) return beganNs;
  // Streams of one process may wait for each other, on several GPUs too.
  const { usedBy, rowsOn } = devicesOf(trace);
  const endsNs = usedBy([process], trace.processes[process]?.host ?? 0).map((device) => {
    const { startsNs, latestEndsNs } = rowsOn(device);
    return latestEndsNs.nsAt(startsNs.lowerBound(beganNs) - 1) ?? -Infinity;
  });
  return Math.min(beganNs, Math.max(...endsNs));
}

/** The copy itself, or the synchronisation of its stream or device that is the very next call. */
export function lastOf(trace: Trace, calls: LoopCalls, at: number): number {
  const { op, stream } = trace.tables.cuda_call.columns;
  const next = calls.rows[at + 1];
  if (next === undefined || opKinds(trace)[op[next]] !== 'sync') return at;
  if (calls.startsNs.nsAt(at + 1) - calls.endsNs.nsAt(at) > FOLLOWS_WITHIN_NS) return at;
  const own = stream?.[calls.rows[at]] ?? -1;
  const waited = stream?.[next] ?? -1;
  return own < 0 || waited < 0 || own === waited ? at + 1 : at;
}

/** Median bytes per ns by kind of host memory, of copies that came back with the data in place. */
function emptyStreamRates(trace: Trace, calls: LoopCalls): (number | undefined)[] {
  const { bytes, hostMemory } = trace.tables.cuda_call.columns;
  const found = hostMemoryKinds.map((): number[] => []);
  for (let at = 0; at < calls.rows.length; at++) {
    const row = calls.rows[at];
    const size = bytes?.[row] ?? -1;
    if (size <= JUDGED_ABOVE_BYTES || !isH2d(trace, row)) continue;
    const last = lastOf(trace, calls, at);
    const memory = hostMemory?.[row] ?? 0;
    const isPageable = hostMemoryKinds[memory] === 'pageable';
    const waited = cameBackWithData(trace, calls, at, last, isPageable);
    const ns = calls.endsNs.nsAt(last) - calls.startsNs.nsAt(at);
    if (waited && ns > 0 && streamEmptyAt(trace, row) === true) found[memory]?.push(size / ns);
  }
  return found.map((rates) =>
    rates.length === 0 ? undefined : percentiles(Float64Array.from(rates), [50])[0],
  );
}

/** Whether copy `at`, with the wait `last` for it, came back when its data was on its way or there. */
export function cameBackWithData(
  trace: Trace,
  { rows }: LoopCalls,
  at: number,
  last: number,
  isPageable: boolean,
): boolean {
  const { op } = trace.tables.cuda_call.columns;
  return last > at || isPageable || !/Async/.test(trace.names[op[rows[at]]]);
}
