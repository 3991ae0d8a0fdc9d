import { z } from 'zod';
import { type FlameTree, flameQuery } from '../shared/answers/flame.ts';
import { fail, ok } from '../shared/rpc/result.ts';
import { returns } from '../shared/rpc/rpc.ts';
import { cleanText } from '../shared/text/text.ts';
import { defineQuestion } from './question.ts';

/** The tree of a flame graph. `not-found`: no event has a stack with the symbol that was asked for. */
export const flame = defineQuestion({
  arguments: z.strictObject({ query: flameQuery }),
  result: returns<FlameTree>(),
  errors: ['not-found'],
  longWork: () => 'statistics',
  async answer({ trace }, { query }) {
    const { flameTree } = await import('../analysis/flame/flame.ts');
    const tree = flameTree(trace, query);
    if (tree !== undefined) return ok(tree);
    const name = cleanText(query.symbol ?? '', 120);
    return fail('not-found', `No event here has "${name}" in its stack: choose a larger range.`);
  },
});
