import { z } from 'zod';
import type { RunSummary } from '../shared/answers/run-summary.ts';
import { ok } from '../shared/rpc/result.ts';
import { returns } from '../shared/rpc/rpc.ts';
import { defineQuestion } from './question.ts';

/** What of this run is compared with another. */
export const runSummary = defineQuestion({
  arguments: z.strictObject({}),
  result: returns<RunSummary>(),
  errors: [],
  longWork: () => 'diagnosis',
  async answer({ trace, summary }) {
    const { runSummary } = await import('../analysis/run/run-summary.ts');
    return ok(runSummary(trace, summary));
  },
});
