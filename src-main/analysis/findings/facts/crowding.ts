import { formatDuration } from '../../../shared/text/units.ts';
import { samplesWithin } from '../../stacks/hot-lines.ts';
import { claimed } from './evidence.ts';
import type { CostCell, RankFacts } from './facts.ts';
import { waitsForOwnThreads } from './helper-threads.ts';
import { isWorthTelling } from './job-shape.ts';
import { shareOfOwn } from './own-neighbours.ts';

/** What work of the workers costs the loop besides its waits for batches: the CPUs that it, or the worker it needed, was ready for. */
export interface Crowding {
  /** Of the waits for a CPU that the job itself had, the part in which it was that work, 0…1; 0 = too little to tell. */
  readonly share: number;
  /** That is so long, ns. */
  readonly ns: number;
  /** `, and about 140 ms for a CPU that workers had for that work`; empty where it is too little to tell. */
  readonly andText: string;
  /** `, about 140 ms of it for a CPU that workers had for that work`. */
  readonly ofItText: string;
}

const none: Crowding = { share: 0, ns: 0, andText: '', ofItText: '' };

/**
 * Of work that `rows` show, samples of the workers’ threads: how much of what the job took from itself went to workers, and how much
 * of what these ran was that work. It may be more than the loop waited for batches: with as many workers as CPUs, batches that
 * are ready in time are made on the loop's own CPU all the same.
 */
export function crowdingOf(facts: RankFacts, rows: readonly number[]): Crowding {
  const { trace, window, workers } = facts;
  const isWorker = new Set(workers.map(({ process }) => process));
  const ran = workers
    .flatMap(({ threads }) => threads)
    .reduce((sum, thread) => sum + samplesWithin(trace, thread, window).length, 0);
  if (ran === 0) return none;
  const workersShare = shareOfOwn(facts, ({ process }) => isWorker.has(process));
  const allNs = claimed(facts.costs, waitsForOwnThreads).ns;
  const ns = allNs * workersShare * Math.min(1, rows.length / ran);
  if (!isWorthTelling(facts, ns)) return none;
  const share = ns / allNs;
  const [about, forCpu] = [
    `about ${formatDuration(ns)}`,
    'for a CPU that workers had for that work',
  ];
  return { share, ns, andText: `, and ${about} ${forCpu}`, ofItText: `, ${about} of it ${forCpu}` };
}

/**
 * `claims`, and as much of the waits for a CPU, told by `text`; `partOf` says how much of a cell that `claims` picks, all of it
 * unless said.
 */
export function withCrowding(
  claims: (cell: CostCell) => boolean,
  { share }: Crowding,
  text: string,
  partOf: (cell: CostCell) => number = () => 1,
) {
  return {
    ...(share > 0 && { onlyWith: { text, cells: waitsForOwnThreads } }),
    beside: (cell: CostCell) => !claims(cell),
    claims: (cell: CostCell) => claims(cell) || (share > 0 && waitsForOwnThreads(cell)),
    claimPart: (cell: CostCell) => (claims(cell) ? partOf(cell) : share),
  };
}
