import { z } from 'zod';
import { type Confirmation, earlierFinding } from '../shared/answers/confirmation.ts';
import { ok } from '../shared/rpc/result.ts';
import { returns } from '../shared/rpc/rpc.ts';
import { defineQuestion } from './question.ts';

/** Whether a finding of an earlier trace is still there in this one. */
export const confirm = defineQuestion({
  arguments: z.strictObject({ finding: earlierFinding }),
  result: returns<Confirmation>(),
  errors: [],
  longWork: () => 'diagnosis',
  async answer({ trace, summary }, { finding }) {
    const { confirmFinding } = await import('../analysis/confirm/confirm-finding.ts');
    return ok(confirmFinding(trace, summary, finding));
  },
});
