import { MAX_GROUPS, type RunSteps, warmUpSteps } from '../../shared/answers/run-summary.ts';
import { type Phase, phases as phaseNames } from '../../shared/answers/steps.ts';
import type { TimeSpan } from '../../shared/answers/summary.ts';
import type { Phases } from '../steps/phases.ts';
import { splitSteps } from '../steps/step-summary.ts';

/** Steps that are compared: their bounds, and which of them each value of a series is the mean of. */
export interface ComparedSteps {
  readonly startsNs: Float64Array;
  readonly endsNs: Float64Array;
  /** Steps before the first of them. */
  readonly before: number;
  readonly groupSize: number;
  readonly groups: number;
  readonly window: TimeSpan;
}

/**
 * The steps without those of the warm-up. Of more than MAX_GROUPS, consecutive ones are one value, their mean:
 * blocks of neighbours are drawn together by the bootstrap anyway, and means of means of as many are the mean. What
 * is left over at the begin of such a run counts as warm-up.
 */
export function comparedSteps({ stepStartsNs, stepEndsNs }: Phases): ComparedSteps | undefined {
  const all = stepStartsNs.length;
  const warm = warmUpSteps(all);
  const groupSize = Math.max(1, Math.ceil((all - warm) / MAX_GROUPS));
  const groups = Math.floor((all - warm) / groupSize);
  if (groups === 0) return undefined;
  const before = all - groups * groupSize;
  const startsNs = stepStartsNs.subarray(before);
  const endsNs = stepEndsNs.subarray(before);
  const window = [startsNs[0], endsNs[endsNs.length - 1]] as const;
  return { startsNs, endsNs, before, groupSize, groups, window };
}

export function runSteps(phases: Phases, steps: ComparedSteps): RunSteps {
  const { startsNs, endsNs, before, groupSize, groups, window } = steps;
  const count = startsNs.length;
  const lengths = Float64Array.from(startsNs, (ns, step) => endsNs[step] - ns);
  const byStep = splitSteps({ startsNs, endsNs }, phases);
  const parts = Object.fromEntries(
    phaseNames.map((phase, code) => [phase, groupMeans(byStep[code], steps)]),
  ) as Record<Phase, number[]>;
  const insideNs = lengths.reduce((sum, ns) => sum + ns, 0);
  return {
    basis: phases.summary.basis === 'annotation' ? 'annotation' : 'signature',
    ...{ count, before, groupSize },
    startsNs: Array.from({ length: groups }, (_, group) => startsNs[group * groupSize]),
    durationsNs: groupMeans(lengths, steps),
    parts,
    betweenNs: (window[1] - window[0] - insideNs) / count,
    inputKnown: phases.inputKnown,
  };
}

/** Values of single steps as those of the series. Whole ns: a fraction of one says nothing. */
export function groupMeans(values: Float64Array, steps: ComparedSteps): number[] {
  const { groups, groupSize } = steps;
  return Array.from({ length: groups }, (_, group) => {
    let sum = 0;
    for (let at = group * groupSize; at < (group + 1) * groupSize; at++) sum += values[at];
    return Math.round(sum / groupSize);
  });
}
