import { cudaOpKind } from '../../shared/model/cuda-ops.ts';
import type { Trace } from '../../shared/model/trace.ts';
import { perTrace } from '../index/per-trace.ts';

/** CUDA calls of each thread, by index into threads; what the recorder only counted is in them too. */
export interface CudaCallCounts {
  readonly all: Float64Array;
  /** Kernel launches and graphs. */
  readonly launches: Float64Array;
  /** Calls that wait for the GPU. */
  readonly syncs: Float64Array;
  readonly byProcess: Float64Array;
  /**
   * Of `all`, those that the recorder only counted; without driver calls where it counted runtime calls
   * too, which make them.
   */
  readonly onlyCounted: Float64Array;
}

/** Of a process's launches and waits, what its first thread must make to be the one that trains. */
const MAIN_SHARE = 0.1;

/** The source of driver calls: where runtime calls are recorded too, they are made inside those. */
const DRIVER = 'DRIVER';
/** Threads that work for the training thread: their calls are not the steps. */
const SERVANT_NAME = /^(pt_autograd|pt_data_pin|pt_nccl|nccl|ProcessGroup)/i;

/** The counts of `trace`, kept with it. */
export const countCudaCalls = perTrace((trace): CudaCallCounts => {
  const { thread, op } = trace.tables.cuda_call.columns;
  const isLaunch = Uint8Array.from(trace.names, (name) => Number(isLaunchOp(name)));
  const isSync = Uint8Array.from(trace.names, (name) => Number(cudaOpKind(name) === 'sync'));
  const threads = trace.threads.length;
  const all = new Float64Array(threads);
  const launches = new Float64Array(threads);
  const syncs = new Float64Array(threads);
  for (let row = 0; row < thread.length; row++) {
    const at = thread[row];
    if (at < 0 || at >= threads) continue;
    all[at]++;
    launches[at] += isLaunch[op[row]];
    syncs[at] += isSync[op[row]];
  }
  const onlyCounted = addCounted(trace, { isLaunch, isSync }, { all, launches, syncs });
  const byProcess = new Float64Array(trace.processes.length);
  trace.threads.forEach(({ process }, at) => {
    if (process >= 0 && process < byProcess.length) byProcess[process] += all[at];
  });
  return { all, launches, syncs, byProcess, onlyCounted };
});

function isLaunchOp(name: string): boolean {
  const kind = cudaOpKind(name);
  return kind === 'launch' || kind === 'graph';
}

/**
 * Adds calls that are in no row of cuda_call: a recorder may sum launches above a rate, or all calls.
 * Answers those of each thread that are made by no other counted call.
 */
function addCounted(
  trace: Trace,
  kinds: { readonly isLaunch: Uint8Array; readonly isSync: Uint8Array },
  sums: Record<'all' | 'launches' | 'syncs', Float64Array>,
): Float64Array {
  const { thread, op, count, stored } = trace.tables.aggregate.columns;
  const isCall = Uint8Array.from(trace.names, (name) => Number(cudaOpKind(name) !== 'other'));
  const inDriver = Uint8Array.from(trace.nameSources, (source) => Number(source === DRIVER));
  const [outer, driver] = [new Float64Array(sums.all.length), new Float64Array(sums.all.length)];
  for (let row = 0; row < thread.length; row++) {
    const at = thread[row];
    if (isCall[op[row]] === 0 || at < 0 || at >= sums.all.length) continue;
    const beside = Math.max(0, count[row] - Math.max(0, stored?.[row] ?? 0));
    sums.all[at] += beside;
    sums.launches[at] += beside * kinds.isLaunch[op[row]];
    sums.syncs[at] += beside * kinds.isSync[op[row]];
    (inDriver[op[row]] === 1 ? driver : outer)[at] += beside;
  }
  return outer.map((calls, at) => calls || driver[at]);
}

/**
 * The threads of one process that make CUDA calls, the one that trains first: the process's own first
 * thread if it makes a fair part of the launches and waits, else who waits for the GPU most. Autograd's
 * threads launch more kernels than the thread that trains, but hardly ever wait.
 */
export function cudaThreadsOf(
  trace: Trace,
  counts: CudaCallCounts,
  threads: readonly number[],
): number[] {
  const calling = threads.filter((thread) => counts.all[thread] > 0);
  const drives = (thread: number) => counts.launches[thread] + counts.syncs[thread];
  const total = calling.reduce((sum, thread) => sum + drives(thread), 0);
  const rank = (thread: number): number[] => {
    const { tid, process, name } = trace.threads[thread];
    const isFirst = tid === trace.processes[process]?.pid;
    const isMain = isFirst && drives(thread) >= total * MAIN_SHARE;
    const isServant = SERVANT_NAME.test(name);
    return [Number(!isServant), Number(isMain), counts.syncs[thread], counts.all[thread]];
  };
  const ranks = new Map(calling.map((thread) => [thread, rank(thread)]));
  return calling.sort((a, b) => {
    const left = ranks.get(a) as number[];
    const right = ranks.get(b) as number[];
    const at = left.findIndex((value, place) => value !== right[place]);
    return at === -1 ? a - b : right[at] - left[at];
  });
}
