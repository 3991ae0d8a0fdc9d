import type { WorkerGeneration } from '../../../shared/answers/jobs.ts';
import { onceFor } from '../../index/per-trace.ts';
import type { RankFacts, WorkerFacts } from './facts.ts';

/** A worker that made less than this share of what the busiest made had no share of the work. Our own choice, as are the next. */
const IDLE_SHARE = 0.1;
/** With fewer batches some may have had no turn yet. */
const BATCHES_AT_LEAST = 10;
/** Of the time that is judged, for how long the workers have to be there. */
const LIFE_SHARE = 0.5;
/** Of its time an idle worker waited for work, where it did not end. */
const WAITING_SHARE = 0.5;

/** Workers of one loader of which some had next to nothing to do. */
export interface UnevenWorkers {
  /** How many there are. */
  readonly all: number;
  readonly busy: readonly WorkerFacts[];
  /** Made by those that are idle. */
  readonly batches: number;
}

/** Of each generation of workers whose work was shared out so. Once per rank. */
export const unevenWorkers = onceFor(
  (facts: RankFacts) => facts,
  (facts: RankFacts) =>
    facts.generations.flatMap((generation, at) => unevenly(facts, generation, at) ?? []),
);

function unevenly(
  { workers, window }: RankFacts,
  { workers: all, startNs = window[0], endNs = window[1] }: WorkerGeneration,
  generation: number,
): UnevenWorkers | undefined {
  const livedNs = Math.min(endNs, window[1]) - Math.max(startNs, window[0]);
  if (all.length < 2 || livedNs < (window[1] - window[0]) * LIFE_SHARE) return undefined;
  const own = workers.filter((worker) => worker.generation === generation);
  const most = own.reduce((highest, { batches }) => Math.max(highest, batches), 0);
  if (most < BATCHES_AT_LEAST) return undefined;
  // One whose batches are not known hangs, or is fed in a way of its own: it waits for no work.
  const hadNoWork = ({ cycles, window: [fromNs, toNs] }: WorkerFacts) =>
    toNs - fromNs < livedNs * LIFE_SHARE ||
    cycles['waiting-for-index'] >= (toNs - fromNs) * WAITING_SHARE;
  const busy = own.filter((worker) => worker.batches >= most * IDLE_SHARE || !hadNoWork(worker));
  return busy.length === all.length
    ? undefined
    : { all: all.length, busy, batches: batchesOf(own) - batchesOf(busy) };
}

export function batchesOf(workers: readonly WorkerFacts[]): number {
  return workers.reduce((sum, { batches }) => sum + batches, 0);
}
