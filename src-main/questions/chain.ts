import { z } from 'zod';
import type { StretchExplanation } from '../shared/answers/stretch.ts';
import { fail, ok } from '../shared/rpc/result.ts';
import { returns } from '../shared/rpc/rpc.ts';
import { inSteps } from './in-steps.ts';
import { defineQuestion } from './question.ts';

/** From [startNs, endNs), in which `thread` (an index) waited, back to what was going on; and what else is known of that time. */
export const chain = defineQuestion({
  arguments: z.strictObject({
    thread: z.number().int().nonnegative(),
    startNs: z.number().nonnegative(),
    endNs: z.number().nonnegative(),
  }),
  result: returns<StretchExplanation>(),
  errors: ['not-found'],
  async answer({ trace }, { thread, startNs, endNs }, signal) {
    if (thread >= trace.threads.length || endNs <= startNs)
      return fail('not-found', `This trace has no such stretch of thread number ${thread}.`);
    const { waitChainInPieces } = await import('../analysis/chain/wait-chain.ts');
    const { rankOfThread } = await import('../analysis/jobs/job-index.ts');
    const { stretchFacts } = await import('../analysis/call/stretch-facts.ts');
    const { functionsRun } = await import('../analysis/chain/functions-run.ts');
    const rank = rankOfThread(trace, thread);
    const chain = waitChainInPieces(trace, rank, thread, startNs, endNs);
    const waited = await inSteps(chain, signal);
    const ranWithin = functionsRun(trace, waited);
    return ok({ ...waited, ...stretchFacts(trace, thread, startNs, endNs), ranWithin });
  },
});
