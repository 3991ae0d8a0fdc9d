import { type PhaseSplit, phases, type StepSummary } from '../../shared/answers/steps.ts';
import type { TimeSpan } from '../../shared/answers/summary.ts';
import { percentiles } from '../../shared/numbers/percentile.ts';
import type { PhaseIntervals } from '../loop/phase-list.ts';
import type { StepBounds } from '../loop/step-list.ts';
import { stepKinds } from './step-kinds.ts';

const MAX_STEPS = 2000;

/** The split of the window and of each step, one pass over the intervals. */
export function stepSummary(
  bounds: StepBounds,
  window: TimeSpan,
  intervals: PhaseIntervals,
  inputNote: string,
): StepSummary {
  const count = bounds.startsNs.length;
  const byStep = splitSteps(bounds, intervals);
  const durations = Float64Array.from(bounds.startsNs, (ns, step) => bounds.endsNs[step] - ns);
  const shown = Math.min(count, MAX_STEPS);
  const steps = Array.from({ length: shown }, (_, at) => {
    const index = shown === 1 ? 0 : Math.round((at * (count - 1)) / (shown - 1));
    return {
      index,
      startNs: bounds.startsNs[index],
      endNs: bounds.endsNs[index],
      split: splitOf((phase) => byStep[phase][index]),
    };
  });
  const { basis, note } = bounds;
  const total = totalSplit(intervals);
  const summary = { basis, note, count, window, total, steps, inputNote };
  if (count === 0) return summary;
  const [durationNs, p95Ns] = percentiles(durations, [50, 95]);
  const typical = splitOf((phase) => percentiles(byStep[phase], [50])[0]);
  const meanNs = durations.reduce((sum, ns) => sum + ns, 0) / count;
  const kinds = stepKinds(durations);
  return {
    ...summary,
    typical: { ...typical, durationNs, p95Ns, meanNs, ...(kinds && { kinds }) },
  };
}

/** ns of each phase in each step: an array of steps for each phase, in the order of `phases`. */
export function splitSteps(
  { startsNs, endsNs }: Pick<StepBounds, 'startsNs' | 'endsNs'>,
  intervals: PhaseIntervals,
): readonly Float64Array[] {
  const byStep = phases.map(() => new Float64Array(startsNs.length));
  let first = 0;
  for (let step = 0; step < startsNs.length; step++) {
    while (first < intervals.endsNs.length && intervals.endsNs[first] <= startsNs[step]) first++;
    for (let at = first; at < intervals.startsNs.length; at++) {
      if (intervals.startsNs[at] >= endsNs[step]) break;
      const ns =
        Math.min(intervals.endsNs[at], endsNs[step]) -
        Math.max(intervals.startsNs[at], startsNs[step]);
      byStep[intervals.phases[at]][step] += ns;
    }
  }
  return byStep;
}

function totalSplit({ startsNs, endsNs, phases: codes }: PhaseIntervals): PhaseSplit {
  const sums = new Float64Array(phases.length);
  for (let at = 0; at < codes.length; at++) sums[codes[at]] += endsNs[at] - startsNs[at];
  return splitOf((phase) => sums[phase]);
}

function splitOf(ns: (phase: number) => number): PhaseSplit {
  return Object.fromEntries(phases.map((phase, code) => [phase, ns(code)])) as PhaseSplit;
}
