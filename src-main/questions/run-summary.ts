import { z } from 'zod';
import type { RunSummary } from '../shared/answers/run-summary.ts';
import { ok } from '../shared/rpc/result.ts';
import { returns } from '../shared/rpc/rpc.ts';
import { defineQuestion } from './question.ts';

/** What of this run is compared with another. */
export const runSummary = defineQuestion({
  /** The place of its rank, else the one that is compared unless another is asked for. */
  arguments: z.strictObject({ rank: z.number().int().nonnegative().optional() }),
  result: returns<RunSummary>(),
  errors: [],
  longWork: () => 'diagnosis',
  // Who swaps two runs, or chooses one anew, asks for it again.
  isKept: true,
  async answer({ trace, summary }, { rank }) {
    const { runSummary } = await import('../analysis/run/run-summary.ts');
    return ok(runSummary(trace, summary, rank));
  },
});
