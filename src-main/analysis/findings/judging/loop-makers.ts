import { NONE } from '../../../shared/model/schema.ts';
import { onceFor } from '../../index/per-trace.ts';
import { claimed } from '../facts/evidence.ts';
import type { RankFacts } from '../facts/facts.ts';
import { isWorthTelling } from '../facts/job-shape.ts';
import { behindWaker, type Waker, wakersOf } from '../facts/thread-work.ts';
import { hostCell, worksOf } from './judge-host.ts';

const isWait = hostCell('producer');

/**
 * The threads that make what the training loop waits for outside of its loader, those of most time first; not the training thread
 * itself. None where that is little, or of a server. Found once per rank.
 */
export const loopMakers = onceFor((facts: RankFacts) => facts, findMakers);

function findMakers(facts: RankFacts): readonly Waker[] {
  const { trace, rank, costs, steps } = facts;
  if (steps.serves === true || !isWorthTelling(facts, claimed(costs, isWait).ns)) return [];
  const at = worksOf(facts)
    .filter(({ kind }) => kind === 'producer')
    .flatMap((work) => [...work.at]);
  return wakersOf(facts, { at }, behindWaker(trace)).filter(
    ({ thread }) => thread !== rank.mainThread,
  );
}

/** Processes of the job, other than the training one, that make it, or are programs it waits for: what they compute is no second cause. */
export const makingProcesses = onceFor((facts: RankFacts) => facts, findProcesses);

function findProcesses(facts: RankFacts): ReadonlySet<number> {
  const { trace, rank } = facts;
  const at = worksOf(facts)
    .filter(({ kind }) => kind === 'subprocess-wait')
    .flatMap((work) => [...work.at]);
  const programs = at.length === 0 ? [] : wakersOf(facts, { at }, behindWaker(trace));
  const processes = [...loopMakers(facts), ...programs].map(
    ({ thread }) => trace.threads[thread]?.process ?? NONE,
  );
  return new Set(processes.filter((process) => process !== NONE && process !== rank.process));
}
