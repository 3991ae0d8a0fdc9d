import type { Rank } from '../../../shared/answers/jobs.ts';
import type { Trace } from '../../../shared/model/trace.ts';
import type { RankFacts } from './facts.ts';
import { workersAtOnce } from './job-shape.ts';

/** Who wants the CPUs that the rank may use: its own workers and main process, and other ranks' of that time. */
export interface CpuDemand {
  /** Ranks that may use the same CPUs, this one included. */
  readonly ranks: number;
  /** Workers of all of them at one time. */
  readonly workers: number;
  /** Of these, of this rank. */
  readonly ownWorkers: number;
  /** Workers and main processes. */
  readonly processes: number;
}

export function cpuDemand(facts: RankFacts): CpuDemand {
  const others = facts.allRanks.filter(
    (rank) =>
      rank.process !== facts.rank.process && sharesCpus(facts, rank) && livedThen(facts, rank),
  );
  const ownWorkers = workersAtOnce(facts);
  const workers = others.reduce((sum, rank) => sum + workersAtOnce(rank), ownWorkers);
  const ranks = 1 + others.length;
  return { ranks, workers, ownWorkers, processes: workers + ranks };
}

/** Whether it lived while the rank was judged: a script may start one training after another. */
function livedThen({ trace, window }: RankFacts, { process }: Rank): boolean {
  const { startNs = -Infinity, endNs = Infinity } = trace.processes[process] ?? {};
  return startNs < window[1] && endNs > window[0];
}

function sharesCpus({ trace, rank, cpus }: RankFacts, other: Rank): boolean {
  const [own, theirs] = [rank, other].map(({ process }) => limitsOf(trace, process));
  if (own.host !== theirs.host || own.allowed !== theirs.allowed) return false;
  return cpus.quota === undefined || own.group === theirs.group;
}

/** Each host numbers its CPUs and names its control groups itself: equal ones of two are not the same. */
function limitsOf({ processes }: Trace, process: number) {
  const { host = 0, cpusAllowed: allowed, cgroup: group } = processes[process] ?? {};
  return { host, allowed, group };
}

/** Workers for which each rank has a CPU beside its main process's; at least one. */
export function workersThatFit({ cpus }: Pick<RankFacts, 'cpus'>, ranks: number): number {
  return Math.max(1, Math.floor(cpus.usable / ranks) - 1);
}

/** Where advice on a first try ends, by “How to Debug Slow PyTorch Dataloaders”: measure beyond. */
export const FIRST_TRY_AT_MOST = 8;

/** The number of CPUs in words: `2 CPUs`, `1.5 CPUs (quota)`. */
export function cpusText({ cpus }: Pick<RankFacts, 'cpus'>): string {
  const count = Number.isInteger(cpus.usable) ? String(cpus.usable) : cpus.usable.toFixed(1);
  const limit = limitText(cpus);
  return `${count} ${cpus.usable === 1 ? 'CPU' : 'CPUs'}${limit}`;
}

function limitText({ quota, allowed, usable, machine }: RankFacts['cpus']): string {
  if (quota !== undefined && quota <= usable) return ' (its CPU quota)';
  return allowed !== undefined && allowed < machine ? ` (of ${machine}, by its affinity)` : '';
}
