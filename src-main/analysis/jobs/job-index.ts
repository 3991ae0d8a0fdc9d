import type { Job, Rank } from '../../shared/answers/jobs.ts';
import { pidText } from '../../shared/model/hosts.ts';
import { NONE } from '../../shared/model/schema.ts';
import type { ProcessInfo, Trace } from '../../shared/model/trace.ts';
import { perRoles } from '../index/per-trace.ts';
import { rowsByIndex } from '../index/sorted-rows.ts';
import { type CudaCallCounts, countCudaCalls, cudaThreadsOf } from './cuda-threads.ts';
import { type FoundRanks, findRanks } from './find-ranks.ts';
import { type ProcessTree, processTree } from './process-tree.ts';
import { recorderProcesses } from './recorder.ts';
import { readBirths, workerGenerations } from './worker-generations.ts';

/** A worker's place: worker `number` of that generation. */
export interface WorkerPlace {
  readonly rank: Rank;
  /** Index into the rank's generations. */
  readonly generation: number;
  readonly number: number;
  /** Whether the rank has workers of more than one loader. */
  readonly hasOtherLoaders: boolean;
}

/** The jobs of a trace and, by process, what belongs to them. */
export interface JobIndex {
  readonly jobs: readonly Job[];
  readonly tree: ProcessTree;
  readonly calls: CudaCallCounts;
  /** Indices into threads of a process. */
  threadsOf(process: number): readonly number[];
  rankOf(process: number): Rank | undefined;
  jobOf(process: number): Job | undefined;
  workerPlace(process: number): WorkerPlace | undefined;
  isRecorder(process: number): boolean;
}

/** The job index of `trace`, built when first asked for. Its roles must be known: see withRoles. */
export const jobIndex = perRoles(createIndex);

/** Every job of the trace: the ranks that were started together. Empty where nothing trains. */
export function jobsOf(trace: Trace): readonly Job[] {
  return jobIndex(trace).jobs;
}

/** The rank whose process tree `thread` is in. */
export function rankOfThread(trace: Trace, thread: number): Rank | undefined {
  const info = trace.threads[thread];
  return info === undefined ? undefined : jobIndex(trace).rankOf(info.process);
}

/** Which DataLoader worker a process is; `undefined` where it is none of a known rank. */
export function workerPlaceOf(trace: Trace, process: number): WorkerPlace | undefined {
  return jobIndex(trace).workerPlace(process);
}

/** The thread that bears the process's number; -1 = not in the trace. */
export function firstThreadOf(trace: Trace, process: number): number {
  return firstAmong(trace, process, jobIndex(trace).threadsOf(process));
}

function firstAmong(trace: Trace, process: number, threads: readonly number[]): number {
  const pid = trace.processes[process]?.pid;
  return threads.find((thread) => trace.threads[thread].tid === pid) ?? NONE;
}

function createIndex(trace: Trace): JobIndex {
  const tree = processTree(trace.processes);
  const calls = countCudaCalls(trace);
  const threadsOf = threadsByProcess(trace);
  const found = findRanks(trace, tree, calls);
  const owners = ownersOf(tree, found);
  const ranks = buildRanks(trace, tree, { calls, threadsOf, owners, found });
  const jobs = buildJobs(trace, found, ranks, owners);
  const rankAt = new Map(ranks.map((rank) => [rank.process, rank]));
  const jobAt = new Map<number, Job>();
  for (const job of jobs) {
    for (const { process } of job.ranks) jobAt.set(process, job);
    for (const process of job.others) jobAt.set(process, job);
  }
  const places = placeWorkers(ranks);
  const recorder = recorderProcesses(trace, tree, owners);
  return {
    ...{ jobs, tree, calls, threadsOf },
    rankOf: (process) => rankAt.get(owners[process] ?? NONE),
    jobOf: (process) => jobAt.get(owners[process] ?? NONE),
    workerPlace: (process) => places.get(process),
    isRecorder: (process) => recorder[process] === 1,
  };
}

function threadsByProcess(trace: Trace): (process: number) => readonly number[] {
  const processOf = Int32Array.from(trace.threads, ({ process }) => process);
  const { offsets, order } = rowsByIndex(processOf, trace.processes.length);
  return (process) => [...order.subarray(offsets[process] ?? 0, offsets[process + 1] ?? 0)];
}

/** The rank, else the launcher, nearest above each process, itself counted; -1 = of no job. */
function ownersOf(
  { parents, order }: ProcessTree,
  { processes, launchers }: FoundRanks,
): Int32Array {
  const owners = new Int32Array(parents.length).fill(NONE);
  for (const process of processes) owners[process] = process;
  for (const process of launchers.values()) owners[process] = process;
  for (const process of order) {
    const parent = parents[process];
    if (owners[process] === NONE && parent !== NONE) owners[process] = owners[parent];
  }
  return owners;
}

interface RankSources {
  readonly calls: CudaCallCounts;
  readonly threadsOf: (process: number) => readonly number[];
  readonly owners: Int32Array;
  readonly found: FoundRanks;
}

function buildRanks(
  trace: Trace,
  { parents, order }: ProcessTree,
  { calls, threadsOf, owners, found }: RankSources,
): Rank[] {
  const trees = new Map<number, number[]>(found.processes.map((process) => [process, []]));
  for (const process of order) trees.get(owners[process])?.push(process);
  const births = readBirths(trace, threadsOf);
  const jobSizes = new Map<string, number>();
  for (const key of found.jobKeys) jobSizes.set(key, (jobSizes.get(key) ?? 0) + 1);
  return found.processes.map((process, at) => {
    const processes = trees.get(process) ?? [process];
    const threads = threadsOf(process);
    const info = trace.processes[process];
    const cudaThreads = cudaThreadsOf(trace, calls, threads);
    const isAlone = jobSizes.get(found.jobKeys[at]) === 1;
    return {
      process,
      ...(info.rank === undefined ? {} : { rank: info.rank }),
      label: isAlone ? pidText(trace, info) : rankLabel(pidText(trace, info), info),
      mainThread: cudaThreads[0] ?? firstAmong(trace, process, threads),
      cudaThreads,
      pinThreads: threads.filter((thread) => trace.threads[thread].role === 'pin-memory'),
      generations: workerGenerations(
        trace.processes,
        parents,
        workersAmong(trace, parents, processes),
        births,
      ),
      processes,
    };
  });
}

function rankLabel(pid: string, { rank, localRank }: ProcessInfo): string {
  if (rank !== undefined) return `rank ${rank} · ${pid}`;
  return localRank === undefined ? pid : `local rank ${localRank} · ${pid}`;
}

/** The workers of the rank itself: a worker may have a loader of its own, whose workers are not the rank's. */
function workersAmong(trace: Trace, parents: Int32Array, processes: readonly number[]): number[] {
  const isBelowWorker = new Set<number>();
  return processes.filter((process) => {
    const parent = parents[process];
    const isWorker = trace.processes[process].role === 'dataloader-worker';
    const isBelow = isBelowWorker.has(parent);
    if (isWorker || isBelow) isBelowWorker.add(process);
    return isWorker && !isBelow;
  });
}

function buildJobs(
  trace: Trace,
  { jobKeys, launchers }: FoundRanks,
  ranks: readonly Rank[],
  owners: Int32Array,
): Job[] {
  const byKey = new Map<string, Rank[]>();
  ranks.forEach((rank, at) => {
    const known = byKey.get(jobKeys[at]);
    if (known === undefined) byKey.set(jobKeys[at], [rank]);
    else known.push(rank);
  });
  const beside = new Map<number, number[]>();
  for (const launcher of launchers.values()) beside.set(launcher, []);
  owners.forEach((owner, process) => {
    beside.get(owner)?.push(process);
  });
  return [...byKey].map(([key, members]) => {
    const launcher = launchers.get(key);
    const sorted = members.toSorted((a, b) => place(trace, a) - place(trace, b));
    return {
      label: jobLabel(trace, sorted, launcher),
      ranks: sorted,
      others: launcher === undefined ? [] : (beside.get(launcher) ?? []),
    };
  });
}

/** Ranks in their own order, those without a number after them by pid. */
function place(trace: Trace, { process, rank }: Rank): number {
  return rank ?? 2 ** 40 + trace.processes[process].pid;
}

function jobLabel(trace: Trace, ranks: readonly Rank[], launcher: number | undefined): string {
  const first = launcher ?? ranks[0].process;
  const named = `${trace.processes[first].name} (${pidText(trace, trace.processes[first])})`;
  return ranks.length === 1 && launcher === undefined
    ? named
    : `${ranks.length} ranks${launcher === undefined ? '' : ` started by ${named}`}`;
}

function placeWorkers(ranks: readonly Rank[]): Map<number, WorkerPlace> {
  const places = new Map<number, WorkerPlace>();
  for (const rank of ranks) {
    const hasOtherLoaders = rank.generations.some(({ loader }) => loader > 0);
    rank.generations.forEach(({ workers }, generation) => {
      workers.forEach((process, number) => {
        places.set(process, { rank, generation, number, hasOtherLoaders });
      });
    });
  }
  return places;
}
