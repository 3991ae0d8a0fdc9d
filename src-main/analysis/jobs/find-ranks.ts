import { NONE } from '../../shared/model/schema.ts';
import { drivesGpu, type ProcessInfo, type Trace } from '../../shared/model/trace.ts';
import type { CudaCallCounts } from './cuda-threads.ts';
import type { ProcessTree } from './process-tree.ts';

/** Programs that start others for their user: two jobs below one of them have nothing in common. */
const SHELL_NAME =
  /^(sh|bash|dash|zsh|fish|ksh|tcsh|csh|tmux|screen|sshd|sudo|su|login|systemd|init|tini|containerd-shim|stalltrace-agen|jupyter|slurmstepd|cron)/;

/** Which processes train, and which of them were started together. */
export interface FoundRanks {
  /** Processes that train. */
  readonly processes: readonly number[];
  /** What each of them shares with the other ranks of its job, beside `processes`. */
  readonly jobKeys: readonly string[];
  /** The launcher's process of each job with one, by key. */
  readonly launchers: ReadonlyMap<string, number>;
}

/**
 * Training processes, and those of servers, are those with the role, less launchers: who started training processes and makes
 * fewer CUDA calls than each of them. One that makes no calls counts if it has workers or a rank, or if
 * no process makes any.
 */
export function findRanks(trace: Trace, tree: ProcessTree, calls: CudaCallCounts): FoundRanks {
  const candidates = candidateRanks(trace, tree, calls.byProcess);
  const isLauncher = launcherTest(trace, tree, candidates, calls.byProcess);
  const processes = candidates.filter((process) => !isLauncher[process]);
  const families = familiesOf(trace, processes, (process) => {
    const parent = tree.parents[process];
    return isLauncher[parent] === 1 || isCommonParent(trace, parent) ? parent : NONE;
  });
  const launchers = new Map<string, number>();
  const keys = new Map<number, string>();
  for (const [key, { launcher, ranks }] of families) {
    const isJob = ranks.length > 1 || isDistributed(trace.processes[ranks[0]]);
    for (const rank of ranks) keys.set(rank, isJob ? key : `process ${rank}`);
    if (isJob && launcher !== NONE) launchers.set(key, launcher);
  }
  return { processes, jobKeys: processes.map((rank) => keys.get(rank) ?? ''), launchers };
}

interface Family {
  readonly launcher: number;
  readonly ranks: number[];
  latestEndNs: number;
}

/** Training processes of one launcher, else of one distributed run, that were alive at one time. */
function familiesOf(
  trace: Trace,
  processes: readonly number[],
  launcherOf: (process: number) => number,
): Map<string, Family> {
  const families = new Map<string, Family>();
  const turns = new Map<string, number>();
  const startOf = (process: number) => trace.processes[process].startNs ?? -Infinity;
  for (const process of processes.toSorted((a, b) => startOf(a) - startOf(b) || a - b)) {
    const launcher = launcherOf(process);
    const origin = jobKey(trace, process, launcher);
    const turn = turns.get(origin) ?? 0;
    const current = families.get(`${origin} ${turn}`);
    // A script may start one training after another.
    const follows =
      current !== undefined &&
      (startOf(process) >= current.latestEndNs || isElsewhere(trace, process, current));
    const key = `${origin} ${follows ? turn + 1 : turn}`;
    turns.set(origin, follows ? turn + 1 : turn);
    const family = families.get(key) ?? { launcher, ranks: [], latestEndNs: -Infinity };
    families.set(key, family);
    family.ranks.push(process);
    family.latestEndNs = Math.max(family.latestEndNs, trace.processes[process].endNs ?? Infinity);
  }
  return families;
}

/** Whether another host has this rank already: a run has each rank once. */
function isElsewhere({ processes }: Trace, process: number, { ranks }: Family): boolean {
  const { rank, host = 0 } = processes[process];
  return (
    rank !== undefined &&
    ranks.some((at) => processes[at].rank === rank && (processes[at].host ?? 0) !== host)
  );
}

function candidateRanks(trace: Trace, { parents }: ProcessTree, calls: Float64Array): number[] {
  const hasWorkers = new Uint8Array(parents.length);
  trace.processes.forEach(({ role }, process) => {
    if (role === 'dataloader-worker' && parents[process] !== NONE) hasWorkers[parents[process]] = 1;
  });
  const anyCalls = calls.some((count) => count > 0);
  const found: number[] = [];
  trace.processes.forEach(({ role, rank }, process) => {
    if (!drivesGpu(role)) return;
    const isPart = calls[process] > 0 || hasWorkers[process] === 1 || rank !== undefined;
    if (isPart || !anyCalls) found.push(process);
  });
  return found;
}

/** By process, 1 where it is a candidate that only started the others. */
function launcherTest(
  trace: Trace,
  { parents, order }: ProcessTree,
  candidates: readonly number[],
  calls: Float64Array,
): Uint8Array {
  const isCandidate = new Uint8Array(parents.length);
  for (const process of candidates) isCandidate[process] = 1;
  // Children before parents: the fewest calls of any candidate below, and whether one has a rank.
  const fewestBelow = new Float64Array(parents.length).fill(Infinity);
  const ranksBelow = new Uint8Array(parents.length);
  const isLauncher = new Uint8Array(parents.length);
  for (let at = order.length - 1; at >= 0; at--) {
    const process = order[at];
    const hasRank = trace.processes[process].rank !== undefined;
    const onlyStarts =
      calls[process] < fewestBelow[process] || (ranksBelow[process] === 1 && !hasRank);
    if (fewestBelow[process] !== Infinity && onlyStarts) isLauncher[process] = isCandidate[process];
    const parent = parents[process];
    if (parent === NONE) continue;
    const trains = isCandidate[process] === 1 && isLauncher[process] === 0;
    const own = trains ? calls[process] : Infinity;
    fewestBelow[parent] = Math.min(fewestBelow[parent], fewestBelow[process], own);
    if (ranksBelow[process] === 1 || (trains && hasRank)) ranksBelow[parent] = 1;
  }
  return isLauncher;
}

function isCommonParent(trace: Trace, parent: number): boolean {
  const info = trace.processes[parent];
  return (
    info !== undefined && info.pid > 2 && info.role !== 'kernel' && !SHELL_NAME.test(info.name)
  );
}

/** Where a rank comes from: its launcher, else its distributed run. */
function jobKey(trace: Trace, process: number, launcher: number): string {
  if (launcher !== NONE) return `launcher ${launcher}`;
  const info = trace.processes[process];
  return isDistributed(info)
    ? `world ${info.worldSize} ${info.cgroup ?? ''} ${info.commandLine ?? ''}`
    : `process ${process}`;
}

/** Whether it is one of several ranks, of which the others may be on other machines. */
function isDistributed({ rank, worldSize }: ProcessInfo): boolean {
  return rank !== undefined && worldSize !== undefined && worldSize > 1;
}
