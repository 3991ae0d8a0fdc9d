import type { StepSeries, StepSeriesPair } from '../../src-main/shared/answers/comparison.ts';
import type { Phase } from '../../src-main/shared/answers/steps.ts';
import type { TimeWindow } from '../../src-main/timeline/model/time-window.ts';

/** What stands below what: equal times since the first compared step, or equal steps. */
export type Alignment = 'time' | 'step';

/** On the axis of steps one is as long as this, so that both axes are zoomed alike. */
export const STEP_UNIT = 1e6;

/** One value of a run on the axis of both. */
export interface AlignedStep extends TimeWindow {
  /** Its place in the series. */
  readonly at: number;
  /** Number of the first step that it is of, from 1, and how many it is the mean of. */
  readonly step: number;
  readonly steps: number;
  /** How long a step is. */
  readonly lengthNs: number;
  readonly parts: Readonly<Partial<Record<Phase, number>>>;
  /** Where it is in the trace. */
  readonly inTrace: TimeWindow;
}

export interface AlignedRuns {
  readonly first: readonly AlignedStep[];
  readonly second: readonly AlignedStep[];
  /** Length of the axis. */
  readonly lengthNs: number;
}

/** Both runs begin with their first compared step. */
export function alignedRuns(
  { first, second }: Pick<StepSeriesPair, 'first' | 'second'>,
  by: Alignment,
): AlignedRuns {
  const [one, other] = [alignedSteps(first, by), alignedSteps(second, by)];
  const endOf = (steps: readonly AlignedStep[]) => steps.at(-1)?.endNs ?? 0;
  return { first: one, second: other, lengthNs: Math.max(1, endOf(one), endOf(other)) };
}

function alignedSteps(series: StepSeries, by: Alignment): AlignedStep[] {
  const { before, groupSize, startsNs, durationsNs } = series;
  const [beginNs = 0] = startsNs;
  return startsNs.map((startNs, at) => {
    const lengthNs = durationsNs[at] ?? 0;
    // Time between the steps of a group is in none of them; the next one's begin bounds it.
    const endNs = Math.min(startNs + lengthNs * groupSize, startsNs[at + 1] ?? Infinity);
    const from = by === 'time' ? startNs - beginNs : at * groupSize * STEP_UNIT;
    const parts = Object.entries(series.parts).map(([phase, values]) => [phase, values[at] ?? 0]);
    return {
      ...{ at, step: before + at * groupSize + 1, steps: groupSize, lengthNs },
      startNs: from,
      endNs: from + (by === 'time' ? endNs - startNs : groupSize * STEP_UNIT),
      parts: Object.fromEntries(parts),
      inTrace: { startNs, endNs },
    };
  });
}

/** The value that holds the compared step number `compared`, from 0; undefined behind the last. */
export function valueOfStep(
  steps: readonly AlignedStep[],
  compared: number,
): AlignedStep | undefined {
  const [first] = steps;
  return first === undefined ? undefined : steps[Math.floor(compared / first.steps)];
}
