import type { Trace } from '../../shared/model/trace.ts';
import { type Diagnosed, diagnose } from '../findings/diagnose.ts';
import { type Phases, phasesOf } from '../steps/phases.ts';
import { type ComparedSteps, comparedSteps } from './run-steps.ts';

/** The rank whose steps are compared with those of another run. */
export interface JudgedRun {
  /** The one that was asked for, else the first with steps, else the first; absent where there is none. */
  readonly rank?: Diagnosed['ranks'][number];
  /** Both are there, or neither. */
  readonly compared?: { readonly phases: Phases; readonly steps: ComparedSteps };
}

/** Of the rank at `index`, where that is given. `trace` must have its roles (withRoles). */
export function judgedRun(trace: Trace, index?: number): JudgedRun {
  const { ranks } = diagnose(trace);
  const chosen = index === undefined ? undefined : ranks.at(index);
  const rank = chosen ?? ranks.find(({ facts }) => facts.steps.count > 0) ?? ranks.at(0);
  if (rank === undefined) return {};
  const phases = phasesOf(trace, rank.facts.rank);
  // Of a selection nobody knows what a step went to, nor of a server what a step is.
  const steps = phases && !rank.facts.steps.isSelection ? comparedSteps(phases) : undefined;
  return { rank, ...(phases && steps && { compared: { phases, steps } }) };
}
