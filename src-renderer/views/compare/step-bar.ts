import type { RunComparison } from '../../../src-main/shared/answers/comparison.ts';
import type { SeriesRun } from '../../../src-main/shared/answers/run-series.ts';
import { type Phase, phases } from '../../../src-main/shared/answers/steps.ts';
import { cleanText } from '../../../src-main/shared/text/text.ts';
import { formatCount, plural } from '../../../src-main/shared/text/units.ts';
import { phaseLabels } from '../../../src-main/shared/words/terms.ts';

/** A mean step of one run, as a bar. */
export interface StepBar {
  readonly label: string;
  /** Undefined = the run has no steps. */
  readonly ns: number | undefined;
  readonly detail: string;
  readonly parts: readonly { readonly phase: Phase; readonly label: string; readonly ns: number }[];
}

/** The first run and the second. */
export function barsOfPair({ step, parts, ...counts }: RunComparison): StepBar[] {
  if (step === undefined) return [];
  const { firstSteps, secondSteps, firstWarmUp, secondWarmUp } = counts;
  const bar = (label: string, which: 'firstNs' | 'secondNs', detail: string): StepBar => ({
    ...{ label, ns: step[which], detail },
    parts: parts.map((part) => ({ phase: part.phase, label: part.label, ns: part[which] })),
  });
  return [
    bar('First', 'firstNs', stepsText(firstSteps, firstWarmUp)),
    bar('Second', 'secondNs', stepsText(secondSteps, secondWarmUp)),
  ];
}

/** Each run of a series, by what varied and its name. */
export function barOfRun({ name, setting, stepNs, steps, warmUp, parts }: SeriesRun): StepBar {
  return {
    label: cleanText(setting === undefined ? name : `${setting} · ${name}`, 120),
    ...{ ns: stepNs, detail: stepsText(steps, warmUp) },
    parts: phases.map((phase) => ({
      ...{ phase, label: phaseLabels[phase] },
      ns: parts?.[phase] ?? 0,
    })),
  };
}

/** `108 of 120 steps`: without the warm-up. */
function stepsText(steps: number, warmUp: number): string {
  return warmUp === 0
    ? plural(steps, 'step')
    : `${formatCount(steps)} of ${plural(steps + warmUp, 'step')}`;
}
