import type { Diagnosis } from './diagnosis.ts';
import type { StepSummary } from './steps.ts';

/** What a loop is known to do: train, answer requests, or neither of them for certain. */
export type LoopKind = Pick<StepSummary, 'serves' | 'loopUnknown'>;

type Ranks = Pick<Diagnosis, 'ranks'>;

export function isTraining({ serves, loopUnknown }: LoopKind): boolean {
  return !serves && !loopUnknown;
}

/** Whether at least one rank of the job trains. */
export function someRankTrains({ ranks }: Ranks): boolean {
  return ranks.some(({ steps }) => isTraining(steps));
}

/** Whether the job only answers requests: then it loads no batches. */
export function everyRankServes({ ranks }: Ranks): boolean {
  return ranks.length > 0 && ranks.every(({ steps }) => steps.serves === true);
}
