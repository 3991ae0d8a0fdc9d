import type { StepSummary } from '../../shared/answers/steps.ts';

/** The steps of a training loop: disjoint, in order. Between two there may be time of neither. */
export interface StepBounds {
  readonly basis: StepSummary['basis'];
  readonly note: string;
  readonly startsNs: Float64Array;
  readonly endsNs: Float64Array;
}
