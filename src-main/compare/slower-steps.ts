import type { RunComparison } from '../shared/answers/comparison.ts';
import { formatShare } from '../shared/text/units.ts';

/** What a check of the length of steps in CI says of runs that were compared with the first. */
export interface SlowerSteps {
  readonly outcome: 'slower' | 'cannot-tell' | 'passed';
  /** Of a pass that proves little, why: a sentence. */
  readonly doubt?: string;
}

/** Whether a mean step of any run is longer by `share` or more. What cannot be told is no pass: a job that compares nothing would never fail. */
export function slowerSteps(comparisons: readonly RunComparison[], share: number): SlowerSteps {
  const isSlower = ({ verdict, step }: RunComparison) =>
    isTold(verdict) && (step?.low ?? 1) > 1 && (step?.ratio ?? 1) >= 1 + share;
  if (comparisons.some(isSlower)) return { outcome: 'slower' };
  if (!comparisons.every(({ verdict }) => isTold(verdict))) return { outcome: 'cannot-tell' };
  const highest = Math.max(...comparisons.map(({ step }) => step?.high ?? 1));
  if (highest < 1 + share) return { outcome: 'passed' };
  const doubt = `A slowdown of ${formatShare(share, 1)} is not ruled out: by the interval of 95 % a step may be ${highest.toFixed(3)} times as long. More steps, with nothing beside the job, make it narrower.`;
  return { outcome: 'passed', doubt };
}

const isTold = (verdict: RunComparison['verdict']) =>
  verdict !== 'cannot-tell' && verdict !== 'not-comparable';
