import type { RunComparison } from '../shared/answers/comparison.ts';
import { formatShare } from '../shared/text/units.ts';

/** What a check of the length of steps in CI says of runs that were compared with the first. */
export interface SlowerSteps {
  readonly outcome: 'slower' | 'cannot-tell' | 'passed';
  /** Why it is no pass, or one that proves little: sentences. */
  readonly why?: string;
}

/** Whether a mean step of any run is longer by `share` or more. What cannot be told is no pass: a job that compares nothing would never fail. */
export function slowerSteps(comparisons: readonly RunComparison[], share: number): SlowerSteps {
  const isSlower = ({ verdict, step }: RunComparison) =>
    isTold(verdict) && (step?.low ?? 1) > 1 && (step?.ratio ?? 1) >= 1 + share;
  const slower = comparisons.filter(isSlower).map(({ step }) => step?.ratio ?? 1);
  if (slower.length > 0) {
    const why = `Slower: a mean step takes ${Math.max(...slower).toFixed(3)} times as long as in the first run. The check fails from ${formatShare(share, 1)} on.`;
    return { outcome: 'slower', why };
  }
  const untold = comparisons.find(({ verdict }) => !isTold(verdict));
  if (untold !== undefined) {
    const why = `${untold.sentence} The check has not passed: record both runs of the same job, on the same machine, in the same way.`;
    return { outcome: 'cannot-tell', why };
  }
  const highest = Math.max(...comparisons.map(({ step }) => step?.high ?? 1));
  if (highest < 1 + share) return { outcome: 'passed' };
  const why = `A slowdown of ${formatShare(share, 1)} is not ruled out: by the interval of 95 % a step may be ${highest.toFixed(3)} times as long. More steps, with nothing beside the job, make it narrower.`;
  return { outcome: 'passed', why };
}

const isTold = (verdict: RunComparison['verdict']) =>
  verdict !== 'cannot-tell' && verdict !== 'not-comparable';
