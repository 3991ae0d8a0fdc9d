import { cudaOpKind, isLaunchOp } from '../../shared/model/cuda-ops.ts';
import type { Trace } from '../../shared/model/trace.ts';
import { type HappenedOperation, happenedOperations } from '../index/happened-operations.ts';
import { perTrace } from '../index/per-trace.ts';

/** CUDA calls of each thread, by index into threads; what the recorder only counted is in them too. */
export interface CudaCallCounts {
  readonly all: Float64Array;
  /** Kernel launches and graphs. */
  readonly launches: Float64Array;
  /** Calls that wait for the GPU. */
  readonly syncs: Float64Array;
  readonly byProcess: Float64Array;
  /** What a program makes, nested calls counted once, by thread. */
  readonly made: MadeCalls;
}

/**
 * CUDA calls that no other call of the trace made: the stored ones, and what the recorder's sums have
 * beside them. Those are without driver calls where runtime calls are summed too, which make them.
 */
export interface MadeCalls {
  readonly calls: Float64Array;
  /** Of these, in the recorder's sums only, and their time. */
  readonly onlyCounted: Float64Array;
  readonly onlyCountedNs: Float64Array;
  /** Whether it may have made more: driver calls are summed, and which of them a runtime call made is not known. */
  readonly isAtLeast: Uint8Array;
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
  const sums = addCounted(trace, { isLaunch, isSync }, { all, launches, syncs });
  const byProcess = new Float64Array(trace.processes.length);
  trace.threads.forEach(({ process }, at) => {
    if (process >= 0 && process < byProcess.length) byProcess[process] += all[at];
  });
  return { all, launches, syncs, byProcess, made: madeCalls(trace, sums) };
});

/**
 * Adds calls that are in no row of cuda_call: a recorder may sum launches above a rate, or all calls.
 * Answers how many each thread has in sums.
 */
function addCounted(
  trace: Trace,
  kinds: { readonly isLaunch: Uint8Array; readonly isSync: Uint8Array },
  sums: Record<'all' | 'launches' | 'syncs', Float64Array>,
): Float64Array {
  const { thread, op, count, stored } = trace.tables.aggregate.columns;
  const isCall = Uint8Array.from(trace.names, (name) => Number(cudaOpKind(name) !== 'other'));
  const summed = new Float64Array(sums.all.length);
  for (let row = 0; row < thread.length; row++) {
    const at = thread[row];
    if (isCall[op[row]] === 0 || at < 0 || at >= sums.all.length) continue;
    const beside = Math.max(0, count[row] - Math.max(0, stored?.[row] ?? 0));
    sums.all[at] += beside;
    sums.launches[at] += beside * kinds.isLaunch[op[row]];
    sums.syncs[at] += beside * kinds.isSync[op[row]];
    summed[at] += beside;
  }
  return summed;
}

function madeCalls(trace: Trace, summed: Float64Array): MadeCalls {
  const threads = trace.threads.length;
  const calls = new Float64Array(threads);
  const { thread, parent } = trace.tables.cuda_call.columns;
  for (let row = 0; row < thread.length; row++)
    if ((parent?.[row] ?? -1) < 0 && thread[row] >= 0) calls[thread[row]]++;
  const onlyCounted = new Float64Array(threads);
  const onlyCountedNs = new Float64Array(threads);
  const isAtLeast = new Uint8Array(threads);
  const missing = missingByProcess(trace);
  const inSums = new Float64Array(trace.processes.length);
  trace.threads.forEach(({ process }, at) => {
    if (process in inSums) inSums[process] += summed[at];
  });
  trace.threads.forEach(({ process }, at) => {
    const sums = missing.get(process);
    if (sums === undefined || !(summed[at] > 0)) return;
    // Most recorders sum by process, at its first thread; others by thread.
    const share = summed[at] / inSums[process];
    onlyCounted[at] = Math.round(sums.calls * share);
    onlyCountedNs[at] = Math.round(sums.ns * share);
    isAtLeast[at] = Number(sums.isAtLeast);
    calls[at] += onlyCounted[at];
  });
  return { calls, onlyCounted, onlyCountedNs, isAtLeast };
}

interface MissingCalls {
  calls: number;
  ns: number;
  isAtLeast: boolean;
}

/** What happened and is not stored, by process. */
function missingByProcess(trace: Trace): ReadonlyMap<number, MissingCalls> {
  const summed = happenedOperations(trace).filter(
    ({ op }) => cudaOpKind(trace.names[op] ?? '') !== 'other',
  );
  const isDriver = ({ op }: HappenedOperation) => trace.nameSources[op] === DRIVER;
  const found = new Map<number, MissingCalls>();
  for (const [process, ops] of Map.groupBy(summed, (each) => each.process)) {
    const runtime = ops.filter((each) => !isDriver(each));
    const outer = runtime.length > 0 ? runtime : ops;
    found.set(process, {
      calls: outer.reduce((sum, { count, rows }) => sum + count - rows, 0),
      ns: outer.reduce((sum, { totalNs, rowsNs }) => sum + Math.max(0, totalNs - rowsNs), 0),
      isAtLeast: ops.some(
        (each) => each.isSeenInWindows || (!outer.includes(each) && each.count > each.rows),
      ),
    });
  }
  return found;
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
