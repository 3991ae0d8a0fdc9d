import type { RunFlame } from '../../shared/answers/flame-difference.ts';
import type { FlameWeight } from '../../shared/library/view.ts';
import type { Trace } from '../../shared/model/trace.ts';
import { weights } from '../../shared/words/flame-weights.ts';
import { flameTree } from '../flame/flame.ts';
import { judgedJob, judgedRun } from './judged-run.ts';

/** Nodes of one run at most: what is smaller than the least of so many changes no step that anyone would notice. */
const MAX_NODES = 20_000;

/** The stacks of the time in which this run's steps are compared. `trace` must have its roles (withRoles). */
export function runFlame(trace: Trace, weight: FlameWeight): RunFlame {
  const { steps } = judgedRun(judgedJob(trace))?.compared ?? {};
  const [startNs, endNs] = steps?.window ?? [0, trace.meta.lengthNs];
  const range = steps && { range: { startNs, endNs } };
  const tree = flameTree(trace, { weight, order: 'heavy', ...range }, MAX_NODES);
  // Only a function that is asked for may be in no stack.
  if (tree === undefined) throw new Error('a whole flame graph has no tree');
  const { everyNs } = trace.tables[weights[weight].table].provenance;
  return {
    tree,
    lengthNs: endNs - startNs,
    ...(steps && { steps: steps.startsNs.length }),
    ...(everyNs !== undefined && { everyNs }),
  };
}
