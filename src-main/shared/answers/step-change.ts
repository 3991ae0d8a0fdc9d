import { FEWEST_VALUES, type RatioInterval, ratioOfMeans } from '../numbers/block-bootstrap.ts';
import type { RunDifference } from './comparison.ts';
import type { RunSteps } from './run-summary.ts';

/** Steps that differ by less are as long as before: two recordings of one job differ by as much by themselves. */
export const NOISE_SHARE = 0.03;

/** The steps of a run, as far as they are compared. */
interface StepsOf {
  readonly steps?: Pick<RunSteps, 'basis' | 'durationsNs'> | undefined;
  /** Why there are none. */
  readonly stepsNote: string;
}

/** What became of the mean step: `hardly` = a change that is sure, and no more than two recordings of one job differ by. */
type StepChange =
  | {
      readonly change: 'shorter' | 'longer' | 'hardly' | 'not-measurable';
      readonly interval: RatioInterval;
    }
  | { readonly change: 'not-comparable' | 'cannot-tell'; readonly why: string };

/** Whether the steps of `second` are shorter than those of `first`, where that can be told. */
export function stepChange(
  first: StepsOf,
  second: StepsOf,
  differences: readonly RunDifference[],
): StepChange {
  const prevents = differences.filter(({ kind }) => kind === 'prevents');
  if (prevents.length > 0) {
    const told = prevents.map(({ what, first: was, second: is }) => `${what} (${was} → ${is})`);
    return { change: 'not-comparable', why: told.join(', ') };
  }
  const { steps: one } = first;
  const { steps: other } = second;
  if (one === undefined) return without('first', first);
  if (other === undefined) return without('second', second);
  if (one.basis !== other.basis)
    return cannotTell(
      'The steps of one run are marked in its trace, those of the other found by a pattern: they need not be the same steps.',
    );
  const interval = ratioOfMeans(one.durationsNs, other.durationsNs);
  if (interval === undefined)
    return cannotTell(`A run has fewer than ${FEWEST_VALUES} steps to compare: record for longer.`);
  return { change: changeOf(interval), interval };
}

function changeOf({ ratio, low, high }: RatioInterval) {
  if (low <= 1 && high >= 1) return 'not-measurable';
  if (Math.abs(Math.log(ratio)) < -Math.log(1 - NOISE_SHARE)) return 'hardly';
  return ratio < 1 ? 'shorter' : 'longer';
}

function without(which: 'first' | 'second', { stepsNote }: StepsOf): StepChange {
  return cannotTell(`The ${which} run has no steps to compare. ${stepsNote}`.trim());
}

function cannotTell(why: string): StepChange {
  return { change: 'cannot-tell', why };
}
