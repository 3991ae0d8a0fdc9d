import type { GpuMeanwhilePart } from '../../shared/answers/gpu-work.ts';
import { NONE } from '../../shared/model/schema.ts';
import type { Trace } from '../../shared/model/trace.ts';
import { submittedRowsOf } from '../operations/gpu-record.ts';
import { devicesOf } from './devices.ts';

/** What a row of gpu_work is, seen from a call that it ran beside; `held` follows from when it ran. */
export type WorkKind = Exclude<GpuMeanwhilePart['kind'], 'held' | 'nothing' | 'unknown'>;

/** How far the GPU's clock, which is converted, may be off. */
export const CLOCK_NS = 50_000;

/**
 * What rows of gpu_work are to row `call` of cuda_call of `process`. A call whose stream is known waits
 * behind the work of that stream. Any other may wait for all that was submitted before it, but not
 * for what was still running when it came back.
 */
export function workKinds(trace: Trace, call: number, process: number): (row: number) => WorkKind {
  const { processOf } = devicesOf(trace);
  const { startNs, durationNs } = trace.tables.gpu_work.columns;
  const calls = trace.tables.cuda_call.columns;
  const own = new Set(submittedRowsOf(trace, call));
  let ownNs = Infinity;
  for (const row of own) ownNs = Math.min(ownNs, startNs[row]);
  const ownStream = streamOf(trace, call);
  const returnNs = calls.startNs[call] + calls.durationNs[call];
  const mayWaitFor = (row: number) =>
    ownStream === NONE
      ? own.size > 0 || startNs[row] + durationNs[row] <= returnNs + CLOCK_NS
      : (trace.tables.gpu_work.columns.stream?.[row] ?? NONE) === ownStream;
  return (row) => {
    if (own.has(row)) return 'own';
    const of = processOf(row);
    if (of !== process && of !== NONE) return 'others';
    const isEarlier = startNs[row] <= ownNs && submittedNs(trace, row) <= calls.startNs[call];
    return isEarlier && mayWaitFor(row) ? 'ahead' : 'beside';
  };
}

/** The stream of a call, else that of what it submitted; -1 = not known. */
export function streamOf(trace: Trace, call: number): number {
  const stream = trace.tables.cuda_call.columns.stream?.[call] ?? NONE;
  if (stream !== NONE) return stream;
  const [own] = submittedRowsOf(trace, call);
  return own === undefined ? NONE : (trace.tables.gpu_work.columns.stream?.[own] ?? NONE);
}

/** When the call that asked for it was entered; not known is long ago. */
function submittedNs({ tables }: Trace, row: number): number {
  const call = tables.gpu_work.columns.call?.[row] ?? NONE;
  return call === NONE ? -Infinity : (tables.cuda_call.columns.startNs[call] ?? -Infinity);
}
