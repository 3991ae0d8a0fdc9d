import { cpuDemand, FIRST_TRY_AT_MOST } from './cpu-demand.ts';
import type { RankFacts } from './facts.ts';
import { computedNs, isWorthTelling, windowNs } from './job-shape.ts';
import { production } from './loader-work.ts';

/** What the loop could take with so many workers. */
export interface WorkerGain {
  readonly workers: number;
  /** It can get no shorter than this, ns. */
  readonly floorNs: number;
  /** What is won back at most, ns. */
  readonly gainNs: number;
}

/**
 * What one worker more wins at most, and each further one, up to the last that wins anything worth telling. So many
 * make the same batches, each as fast as before; the CPUs of this rank do the same work; and what the loop did
 * while no batch and no CPU kept it waiting it does again.
 */
export function workerGains(facts: RankFacts): WorkerGain[] {
  const { ownWorkers, ranks } = cpuDemand(facts);
  const made = production(facts);
  if (ownWorkers === 0 || made.batches === 0 || !(facts.cpus.usable > 0)) return [];
  const atLeastNs = Math.max(loopNs(facts), (computedNs(facts) / facts.cpus.usable) * ranks);
  const most = Math.max(FIRST_TRY_AT_MOST, Math.ceil(facts.cpus.usable / ranks));
  const gains: WorkerGain[] = [];
  let before = 0;
  for (let workers = ownWorkers + 1; workers <= most; workers++) {
    // A batch may be half done where the window begins.
    const madeNs = made.ns / workers - made.ns / made.batches;
    const floorNs = Math.max(madeNs, atLeastNs);
    const gainNs = Math.max(0, windowNs(facts) - floorNs);
    if (!isWorthTelling(facts, gainNs - before)) break;
    gains.push({ workers, floorNs, gainNs });
    before = gainNs;
  }
  return gains;
}

/** What the loop did itself, with and beside the GPU, ns. */
function loopNs({ costs }: RankFacts): number {
  const isWait = (phase: string, cause: string) =>
    phase === 'input' || /^(runnable|throttled|idle-cpu)/.test(cause);
  const own = costs.filter(({ phase, cause }) => !isWait(phase, cause));
  return own.reduce((sum, { ns }) => sum + ns, 0);
}
