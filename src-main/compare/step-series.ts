import type {
  RunBegin,
  RunBegins,
  StepSeries,
  StepSeriesPair,
} from '../shared/answers/comparison.ts';
import type { RunSteps, RunSummary } from '../shared/answers/run-summary.ts';
import { partsOfBoth } from './parts-of-both.ts';

/** Where two runs begin, by their first CUDA calls. */
export function runBegins(first: RunSummary, second: RunSummary): RunBegins {
  const begin = ({ firstCallNs, rank }: RunSummary): RunBegin => ({
    ...(firstCallNs !== undefined && { firstCallNs }),
    ...(rank !== undefined && { rank }),
  });
  return { first: begin(first), second: begin(second) };
}

/** The steps of two runs, told by the same parts; undefined where a run has none to compare. */
export function stepSeries(first: RunSummary, second: RunSummary): StepSeriesPair | undefined {
  const { steps: one } = first;
  const { steps: other } = second;
  if (one === undefined || other === undefined) return undefined;
  const { phases, labelOf, seriesOf } = partsOfBoth(one, other);
  const told = (steps: RunSteps): StepSeries => {
    const { before, groupSize, startsNs, durationsNs } = steps;
    const parts = Object.fromEntries(phases.map((phase) => [phase, seriesOf(steps, phase)]));
    return { before, groupSize, startsNs, durationsNs, parts };
  };
  const labels = Object.fromEntries(phases.map((phase) => [phase, labelOf(phase)]));
  return { first: told(one), second: told(other), labels };
}
