import { z } from 'zod';
import type { CallExplanation } from '../shared/answers/explanation.ts';
import { ok } from '../shared/rpc/result.ts';
import { returns } from '../shared/rpc/rpc.ts';
import { inSteps } from './in-steps.ts';
import { hasCall, noCall } from './no-call.ts';
import { defineQuestion } from './question.ts';

/** What the trace proves about one row of cuda_call, and what it can't. */
export const explain = defineQuestion({
  arguments: z.strictObject({
    call: z.number().int().nonnegative(),
    /** Whether to wait for the diagnosis of the whole trace; else fixes are there if it is known. */
    fixes: z.boolean().optional(),
  }),
  result: returns<CallExplanation>(),
  errors: ['not-found'],
  longWork: ({ fixes }) => (fixes === true ? 'diagnosis' : undefined),
  async answer({ trace }, { call, fixes = false }, signal) {
    if (!hasCall(trace, call)) return noCall(call);
    const { explainCallInPieces } = await import('../analysis/call/explain-call.ts');
    const { diagnose, knownDiagnosis } = await import('../analysis/findings/diagnose.ts');
    const { findingsOfCall } = await import('../analysis/findings/findings-of-call.ts');
    const known = fixes ? diagnose(trace) : knownDiagnosis(trace);
    const explained = await inSteps(explainCallInPieces(trace, call), signal);
    return ok({
      ...explained,
      fixes: known === undefined ? [] : findingsOfCall(trace, known, call),
    });
  },
});
