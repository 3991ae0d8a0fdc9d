import type { FlameQuery, FlameTree } from '../../shared/answers/flame.ts';
import { gpuWorkKind } from '../../shared/answers/gpu-work.ts';
import type { FlameWeight } from '../../shared/library/view.ts';
import { hostIndexOf } from '../../shared/model/hosts.ts';
import { NONE } from '../../shared/model/schema.ts';
import type { Trace } from '../../shared/model/trace.ts';
import { nsInRange } from '../../shared/numbers/range-part.ts';
import { perTrace } from '../index/per-trace.ts';

/** The columns a weight is read from: rows in order of start. */
interface EventSource {
  /** Rows that are no events of this weight. */
  readonly skips?: ((row: number) => boolean) | undefined;
  readonly rows: number;
  readonly startNs: Float64Array;
  /** Absent where the events are moments. */
  readonly durationNs?: Float64Array;
  readonly thread: Int32Array;
  readonly stack?: Int32Array | undefined;
  /** Rows that lie inside another row, whose weight would count twice. */
  readonly parent?: Int32Array | undefined;
  /** The weight of a row, where it is not its time; rows without (-1) are no events of this weight. */
  readonly amount?: Float64Array | undefined;
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
  if (weight === 'off-cpu-time') return { rows: switches.rows, ...switches.columns };
  if (weight === 'cpu-samples') return { rows: samples.rows, ...samples.columns };
  if (weight === 'gpu-time') return kernelSource(trace);
  const { startNs, durationNs, thread, stack, parent, bytes } = calls.columns;
  const source = { rows: calls.rows, startNs, thread, stack, parent };
  if (weight === 'cuda-time') return { ...source, durationNs };
  return bytes === undefined ? undefined : { ...source, durationNs, amount: bytes };
}

/** Calls enclose each other no deeper, but in a damaged file. */
const MAX_DEPTH = 64;

const isMove = (kind: ReturnType<typeof gpuWorkKind>) => kind === 'copy' || kind === 'fill';

/**
 * Kernels and whole graphs as the GPU ran them, each with the thread and the stack of the call that asked
 * for it; of calls inside each other the innermost that has a stack.
 */
const kernelSource = perTrace(({ tables }): EventSource => {
  const { cuda_call: calls, gpu_work: work } = tables;
  const { startNs, durationNs, call, kind, direction } = work.columns;
  const { thread, stack, parent } = calls.columns;
  const callOf = (row: number) => {
    const of = call?.[row] ?? NONE;
    return of < calls.rows ? of : NONE;
  };
  const stackOf = (row: number) => {
    let at = callOf(row);
    for (let depth = 0; depth < MAX_DEPTH && at !== NONE; depth++) {
      const own = stack?.[at] ?? NONE;
      if (own !== NONE) return own;
      at = parent?.[at] ?? NONE;
    }
    return NONE;
  };
  return {
    ...{ rows: work.rows, startNs, durationNs },
    thread: Int32Array.from(startNs, (_, row) => thread[callOf(row)] ?? NONE),
    stack: Int32Array.from(startNs, (_, row) => stackOf(row)),
    skips: (row) => isMove(gpuWorkKind(kind?.[row], direction?.[row])),
  };
});

/**
 * Visits the events of a query in order of start, each with its stack (-1 = none) and its weight: ns
 * inside the range, samples, or bytes. Bytes have no part inside a range: they count where the call
 * starts. CUDA calls made by other CUDA calls are part of those.
 */
export function visitEvents(
  trace: Trace,
  { weight, range, thread: wanted, host }: Pick<FlameQuery, 'weight' | 'range' | 'thread' | 'host'>,
  visit: (stack: number, weight: number) => void,
): void {
  const source = sourceOf(trace, weight);
  if (source === undefined) return;
  const { rows, startNs, durationNs, thread, stack, parent, amount, skips } = source;
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
    if (skips?.(row) === true) continue;
    const at = stack === undefined ? NONE : stack[row];
    if (!isClipped) {
      const value = amount === undefined ? 1 : amount[row];
      if (start >= within.startNs && value >= 0) visit(at, value);
      continue;
    }
    const part = nsInRange(start, durationNs[row], within);
    if (part >= 0) visit(at, part);
  }
}

function threadsOfHost(trace: Trace, host: number): boolean[] {
  return trace.threads.map((_, thread) => hostIndexOf(trace, thread) === host);
}
