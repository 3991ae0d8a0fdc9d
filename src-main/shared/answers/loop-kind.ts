import type { Diagnosis } from './diagnosis.ts';
import type { StepSummary } from './steps.ts';

/** What a loop is known to do: train, run its model over batches, answer requests, or none of them for certain. */
export type LoopKind = Pick<StepSummary, 'infers' | 'serves' | 'loopUnknown'>;

type Ranks = Pick<Diagnosis, 'ranks'>;

export function isTraining({ infers, serves, loopUnknown }: LoopKind): boolean {
  return !infers && !serves && !loopUnknown;
}

/** Whether at least one rank of the job goes through batches: it trains on them, or runs its model over them. */
export function someRankHasBatches({ ranks }: Ranks): boolean {
  return ranks.some(({ steps }) => steps.infers || isTraining(steps));
}

/** What all ranks of the job do; that it trains where at least one does, that it is not known where they differ. */
export function loopKindOf({ ranks }: Ranks): LoopKind {
  if (ranks.some(({ steps }) => isTraining(steps))) return {};
  const all = (does: (steps: StepSummary) => true | undefined) =>
    ranks.length > 0 && ranks.every(({ steps }) => does(steps));
  if (all(({ serves }) => serves)) return { serves: true };
  return all(({ infers }) => infers) ? { infers: true } : { loopUnknown: true };
}
