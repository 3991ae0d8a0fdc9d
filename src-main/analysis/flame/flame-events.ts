import type { FlameQuery, FlameTree } from '../../shared/answers/flame.ts';
import type { FlameWeight } from '../../shared/library/view.ts';
import type { IntegerArray, NumberArray } from '../../shared/model/columns.ts';
import { hostIndexOf } from '../../shared/model/hosts.ts';
import { NONE } from '../../shared/model/schema.ts';
import type { Trace } from '../../shared/model/trace.ts';
import { nsInRange } from '../../shared/numbers/range-part.ts';
import { perTrace } from '../index/per-trace.ts';
import { callOf, workPaths } from './flame-paths.ts';

/** The columns a weight is read from: rows in order of start. */
interface EventSource {
  readonly rows: number;
  readonly startNs: Float64Array;
  /** Absent where the events are moments. */
  readonly durationNs?: NumberArray;
  readonly thread: IntegerArray;
  /** Index into the paths of this weight. */
  readonly path?: IntegerArray | undefined;
  /** Rows that lie inside another row, whose weight would count twice. */
  readonly parent?: IntegerArray | undefined;
  /** The weight of a row, where it is not its time; rows without (-1) are no events of this weight. */
  readonly amount?: NumberArray | undefined;
}

export const unitOf: Readonly<Record<FlameWeight, FlameTree['unit']>> = {
  'cuda-time': 'ns',
  'gpu-time': 'ns',
  'cuda-bytes': 'bytes',
  'off-cpu-time': 'ns',
  'cpu-samples': 'samples',
};

function sourceOf(trace: Trace, weight: FlameWeight): EventSource | undefined {
  const { cuda_call: calls, off_cpu: switches, cpu_sample: samples } = trace.tables;
  if (weight === 'off-cpu-time')
    return { rows: switches.rows, ...switches.columns, path: switches.columns.stack };
  if (weight === 'cpu-samples')
    return { rows: samples.rows, ...samples.columns, path: samples.columns.stack };
  if (weight === 'gpu-time') return workSource(trace);
  const { startNs, durationNs, thread, stack: path, parent, bytes } = calls.columns;
  const source = { rows: calls.rows, startNs, thread, path, parent };
  if (weight === 'cuda-time') return { ...source, durationNs };
  return bytes === undefined ? undefined : { ...source, durationNs, amount: bytes };
}

/** What the GPU ran, each piece with the thread of the call that asked for it. */
const workSource = perTrace((trace): EventSource => {
  const { cuda_call: calls, gpu_work: work } = trace.tables;
  const { startNs, durationNs, call } = work.columns;
  const threadOf = (row: number) => calls.columns.thread[callOf(call?.[row], calls.rows)] ?? NONE;
  return {
    ...{ rows: work.rows, startNs, durationNs, path: workPaths(trace).ofRow },
    thread: Int32Array.from(startNs, (_, row) => threadOf(row)),
  };
});

/** Index into threads of every thread that has events of a weight; -1 = of some it is not known. */
export function threadsOf(trace: Trace, weight: FlameWeight): ReadonlySet<number> {
  return new Set(sourceOf(trace, weight)?.thread);
}

/**
 * Visits the events of a query in order of start, each with its path (-1 = none) and its weight: ns
 * inside the range, samples, or bytes, its thread, and from when to when it is in the range. Bytes have no part inside a
 * range: they count where the call starts. CUDA calls made by other CUDA calls are part of those.
 */
export function visitEvents(
  trace: Trace,
  { weight, range, thread: wanted, host }: Pick<FlameQuery, 'weight' | 'range' | 'thread' | 'host'>,
  visit: (path: number, weight: number, thread: number, startNs: number, endNs: number) => void,
): void {
  const source = sourceOf(trace, weight);
  if (source === undefined) return;
  const { rows, startNs, durationNs, thread, path, parent, amount } = source;
  // Whole ns, so that sums are exact and a range split in two adds up.
  const within = {
    startNs: Math.round(range?.startNs ?? Number.NEGATIVE_INFINITY),
    endNs: Math.round(range?.endNs ?? Number.POSITIVE_INFINITY),
  };
  const isOfHost = host === undefined ? undefined : threadsOfHost(trace, host);
  const isClipped = durationNs !== undefined && amount === undefined;
  for (let row = 0; row < rows; row++) {
    const start = startNs[row];
    if (start >= within.endNs) break;
    if (wanted !== undefined && thread[row] !== wanted) continue;
    if (isOfHost !== undefined && isOfHost[thread[row]] !== true) continue;
    if (parent !== undefined && parent[row] >= 0) continue;
    const at = path === undefined ? NONE : path[row];
    if (!isClipped) {
      const value = amount === undefined ? 1 : amount[row];
      if (start >= within.startNs && value >= 0) visit(at, value, thread[row], start, start);
      continue;
    }
    const part = nsInRange(start, durationNs[row], within);
    const from = Math.max(start, within.startNs);
    if (part >= 0) visit(at, part, thread[row], from, from + part);
  }
}

function threadsOfHost(trace: Trace, host: number): boolean[] {
  return trace.threads.map((_, thread) => hostIndexOf(trace, thread) === host);
}
