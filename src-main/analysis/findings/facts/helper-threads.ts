import { onceFor } from '../../index/per-trace.ts';
import type { CostCell, RankFacts } from './facts.ts';
import {
  cpuWaitNs,
  DOMINANT_SHARE,
  helpersOf,
  type Production,
  production,
} from './loader-work.ts';
import { placeOfThreads } from './thread-work.ts';

/** Asleep for others: also for a thread of its own process. */
export const asleepNs = ({ byCause }: Pick<Production, 'byCause'>) =>
  byCause.sleeping + byCause.lock;

/** Whether what the workers did for their batches was mostly to sleep. */
export function isMostlyAsleep(made: Production): boolean {
  const ns = asleepNs(made);
  return ns > 0 && ns >= (made.ns - cpuWaitNs(made)) * DOMINANT_SHARE;
}

/**
 * `decode (train.py:12)`: what threads of the workers' own do for their batches on a CPU, where the workers mostly wait for
 * them. It is work of the dataset: with fewer threads it takes as long.
 */
export const placeOfHelpers = onceFor((facts: RankFacts) => facts, findPlace);

function findPlace(facts: RankFacts): string | undefined {
  const made = production(facts);
  if (made.byCause.lock < made.byCause.sleeping || !isMostlyAsleep(made)) return undefined;
  return placeOfThreads(facts, helpersOf(facts));
}

/** Waits for a CPU that other threads of the job had; in a collective it is the exchange that has threads of its own. */
export const waitsForOwnThreads = ({ cause, phase }: CostCell) =>
  cause === 'runnable-own' && phase !== 'collective';
