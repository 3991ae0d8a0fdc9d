import type { RunComparison } from '../shared/answers/comparison.ts';
import { formatShare } from '../shared/text/units.ts';
import { changeText } from '../shared/words/comparison-words.ts';

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
  const slower = comparisons.filter(isSlower);
  if (slower.length > 0) {
    const ratio = Math.max(...slower.map(({ step }) => step?.ratio ?? 1));
    const why = `Slower: a mean step is ${changeText({ ratio })} than in the first run. The check fails from ${formatShare(share, 1)} on.`;
    return { outcome: 'slower', why: [why, ...checksOf(slower)].join(' ') };
  }
  const untold = comparisons.find(({ verdict }) => !isTold(verdict));
  if (untold !== undefined) {
    const why = `${untold.sentence} The check has not passed: record both runs of the same job, on the same machine, in the same way.`;
    return { outcome: 'cannot-tell', why };
  }
  const highest = Math.max(...comparisons.map(({ step }) => step?.high ?? 1));
  const why = [...checksOf(comparisons)];
  if (highest >= 1 + share)
    why.unshift(
      `A slowdown of ${formatShare(share, 1)} is not ruled out: by the interval of 95 % a step may be ${changeText({ ratio: highest })}. More steps, with nothing beside the job, make it narrower.`,
    );
  return { outcome: 'passed', ...(why.length > 0 && { why: why.join(' ') }) };
}

/** What a person has to make sure of, each once. */
function checksOf(comparisons: readonly RunComparison[]): ReadonlySet<string> {
  const checks = comparisons.flatMap(({ differences }) =>
    differences.flatMap(({ check }) => check ?? []),
  );
  return new Set(checks);
}

const isTold = (verdict: RunComparison['verdict']) =>
  verdict !== 'cannot-tell' && verdict !== 'not-comparable';
