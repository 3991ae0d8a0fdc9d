import type { WorkerGeneration } from '../../shared/answers/jobs.ts';
import { processEventKinds } from '../../shared/model/codes.ts';
import { NONE } from '../../shared/model/schema.ts';
import type { ProcessInfo, Trace } from '../../shared/model/trace.ts';
import { upperBound } from '../../shared/numbers/bisect.ts';

/** A loader starts its workers one right after the other; two of them further apart are of two loaders. */
const LONGEST_GAP_NS = 5e9;
/** The same where the gaps before are known: so many times the longest of them, and no less than this. */
const GAP_FACTOR = 10;
const GAP_FLOOR_NS = 5e8;

/** When the workers' parent started threads of its own, by process. */
export interface Births {
  /** The thread that forked each process; -1 = not known. */
  readonly forkedBy: Int32Array;
  /** Ascending starts of the threads of a process beside its first. */
  readonly threadStartsNs: (process: number) => Float64Array;
}

export function readBirths(
  trace: Trace,
  threadsOf: (process: number) => readonly number[],
): Births {
  const forkedBy = new Int32Array(trace.processes.length).fill(NONE);
  const { thread, kind, subject } = trace.tables.process_event.columns;
  const fork = processEventKinds.indexOf('fork');
  for (let row = 0; row < thread.length; row++) {
    const child = trace.threads[subject?.[row] ?? NONE];
    if (kind[row] !== fork || child === undefined) continue;
    if (trace.processes[child.process]?.pid === child.tid) forkedBy[child.process] = thread[row];
  }
  const known = new Map<number, Float64Array>();
  const threadStartsNs = (process: number) => {
    const starts = known.get(process) ?? startsOf(trace, process, threadsOf(process));
    known.set(process, starts);
    return starts;
  };
  return { forkedBy, threadStartsNs };
}

function startsOf(trace: Trace, process: number, threads: readonly number[]): Float64Array {
  const { pid } = trace.processes[process];
  const starts = threads.flatMap((thread) => {
    const { tid, startNs } = trace.threads[thread];
    return tid === pid || startNs === undefined ? [] : [startNs];
  });
  return Float64Array.from(starts).sort();
}

/** Workers that were alive at one time, in the making. */
interface Burst {
  readonly workers: number[];
  readonly parent: number;
  readonly forkedBy: number;
  lastStartNs: number;
  longestGapNs: number;
  firstEndNs: number;
}

/**
 * The workers of one rank as their loaders started them. PyTorch starts all workers of an iterator in
 * a row, then the threads that feed their index queues; a worker that ended is never replaced. So a
 * generation ends where a worker has ended, where as many threads were started as it has workers,
 * where the pause is long, or where another process or thread does the starting.
 */
export function workerGenerations(
  processes: readonly ProcessInfo[],
  parents: Int32Array,
  workers: readonly number[],
  births: Births,
): WorkerGeneration[] {
  const bursts: Burst[] = [];
  const open = new Map<string, Burst>();
  for (const worker of inOrderOfBirth(processes, workers)) {
    const parent = parents[worker];
    const forkedBy = births.forkedBy[worker];
    const key = `${parent} ${forkedBy}`;
    const startNs = processes[worker].startNs ?? -Infinity;
    const endNs = processes[worker].endNs ?? Infinity;
    const burst = open.get(key);
    if (burst !== undefined && continues(burst, startNs, births)) {
      if (burst.lastStartNs !== -Infinity)
        burst.longestGapNs = Math.max(burst.longestGapNs, startNs - burst.lastStartNs);
      burst.workers.push(worker);
      burst.lastStartNs = startNs;
      burst.firstEndNs = Math.min(burst.firstEndNs, endNs);
      continue;
    }
    const next = {
      ...{ workers: [worker], parent, forkedBy },
      ...{ lastStartNs: startNs, longestGapNs: 0, firstEndNs: endNs },
    };
    bursts.push(next);
    open.set(key, next);
  }
  return withLoaders(processes, bursts);
}

function inOrderOfBirth(processes: readonly ProcessInfo[], workers: readonly number[]): number[] {
  const startOf = (worker: number) => processes[worker].startNs ?? -Infinity;
  return [...workers].sort((a, b) => {
    const [left, right] = [startOf(a), startOf(b)];
    return left === right ? processes[a].pid - processes[b].pid : left - right;
  });
}

function continues(burst: Burst, startNs: number, births: Births): boolean {
  // What ran before the recording began cannot be told apart by birth.
  if (startNs === -Infinity) return true;
  if (burst.lastStartNs === -Infinity || startNs >= burst.firstEndNs) return false;
  const gapNs = startNs - burst.lastStartNs;
  if (gapNs > LONGEST_GAP_NS) return false;
  if (burst.longestGapNs > 0 && gapNs > Math.max(burst.longestGapNs * GAP_FACTOR, GAP_FLOOR_NS))
    return false;
  if (burst.parent === NONE) return true;
  const starts = births.threadStartsNs(burst.parent);
  const between = upperBound(starts, startNs) - upperBound(starts, burst.lastStartNs);
  return between < burst.workers.length;
}

/** Of the loaders that a generation may continue, how many of the latest are looked at. */
const LOADERS_LOOKED_AT = 200;

/** Generations of as many workers that follow each other, started by the same thread, are of one loader. */
function withLoaders(
  processes: readonly ProcessInfo[],
  bursts: readonly Burst[],
): WorkerGeneration[] {
  const loadersByKey = new Map<string, { loader: number; endNs: number }[]>();
  let count = 0;
  return bursts.map(({ workers, parent, forkedBy }) => {
    const startNs = processes[workers[0]].startNs;
    const endNs = workers.reduce((end, at) => Math.max(end, processes[at].endNs ?? Infinity), 0);
    const key = `${workers.length} ${parent} ${forkedBy}`;
    const alike = loadersByKey.get(key) ?? [];
    loadersByKey.set(key, alike);
    const ended = alike
      .slice(-LOADERS_LOOKED_AT)
      .find((known) => known.endNs <= (startNs ?? -Infinity));
    const loader = ended?.loader ?? count++;
    if (ended === undefined) alike.push({ loader, endNs });
    else ended.endNs = endNs;
    return {
      workers,
      ...(startNs === undefined ? {} : { startNs }),
      ...(endNs === Infinity ? {} : { endNs }),
      loader,
    };
  });
}
