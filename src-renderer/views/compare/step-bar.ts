import type { RunComparison } from '../../../src-main/shared/answers/comparison.ts';
import type { SeriesRun } from '../../../src-main/shared/answers/run-series.ts';
import { type Phase, phases } from '../../../src-main/shared/answers/steps.ts';
import { cleanText } from '../../../src-main/shared/text/text.ts';
import { plural } from '../../../src-main/shared/text/units.ts';
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
export function barsOfPair({ step, parts, firstSteps, secondSteps }: RunComparison): StepBar[] {
  if (step === undefined) return [];
  const bar = (label: string, which: 'firstNs' | 'secondNs', steps: number): StepBar => ({
    ...{ label, ns: step[which], detail: plural(steps, 'step') },
    parts: parts.map((part) => ({ phase: part.phase, label: part.label, ns: part[which] })),
  });
  return [bar('First', 'firstNs', firstSteps), bar('Second', 'secondNs', secondSteps)];
}

/** Each run of a series, by what varied and its name. */
export function barOfRun({ name, setting, stepNs, steps, parts }: SeriesRun): StepBar {
  return {
    label: cleanText(setting === undefined ? name : `${setting} · ${name}`, 120),
    ...{ ns: stepNs, detail: plural(steps, 'step') },
    parts: phases.map((phase) => ({
      ...{ phase, label: phaseLabels[phase] },
      ns: parts?.[phase] ?? 0,
    })),
  };
}
