import type { RunSteps } from '../shared/answers/run-summary.ts';
import type { Phase } from '../shared/answers/steps.ts';
import { phaseOrder } from '../shared/words/phase-rows.ts';
import { phaseLabels } from '../shared/words/terms.ts';

/** Into which parts the steps of two runs are told apart alike. */
export interface PartsOfBoth {
  readonly phases: readonly Phase[];
  readonly labelOf: (phase: Phase) => string;
  readonly seriesOf: (steps: RunSteps, phase: Phase) => readonly number[];
}

/** Where one run cannot tell input from other host time, only their sum is of both. */
export function partsOfBoth(first: RunSteps, second: RunSteps): PartsOfBoth {
  const isTold = first.inputKnown && second.inputKnown;
  const isSum = (phase: Phase) => phase === 'other' && !isTold;
  return {
    phases: phaseOrder.filter((phase) => isTold || phase !== 'input'),
    labelOf: (phase) =>
      isSum(phase) ? 'Other host time, including waiting for input' : phaseLabels[phase],
    seriesOf: ({ parts }, phase) =>
      isSum(phase) ? parts.other.map((ns, at) => ns + (parts.input[at] ?? 0)) : parts[phase],
  };
}
