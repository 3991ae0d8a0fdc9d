import { z } from 'zod';
import type { RunFlame } from '../shared/answers/flame-difference.ts';
import { flameWeights } from '../shared/library/view.ts';
import { fail, ok } from '../shared/rpc/result.ts';
import { returns } from '../shared/rpc/rpc.ts';
import { weights, whyWithout } from '../shared/words/flame-weights.ts';
import { defineQuestion } from './question.ts';

/** The stacks of this run that are compared with those of another. `not-found`: it has none of that weight. */
export const runFlame = defineQuestion({
  arguments: z.strictObject({ weight: z.enum(flameWeights) }),
  result: returns<RunFlame>(),
  errors: ['not-found'],
  longWork: () => 'diagnosis',
  async answer({ trace, summary }, { weight }) {
    const why = whyWithout(summary, weight);
    if (why !== undefined)
      return fail('not-found', `It has no stacks for “${weights[weight].label}”. ${why}`);
    const { runFlame } = await import('../analysis/run/run-flame.ts');
    return ok(runFlame(trace, weight));
  },
});
