import { z } from 'zod';
import type { Diagnosis } from '../shared/answers/diagnosis.ts';
import { ok } from '../shared/rpc/result.ts';
import { returns } from '../shared/rpc/rpc.ts';
import { defineQuestion } from './question.ts';

/** What slows the whole trace: verdict, findings, causal chains, steps. */
export const diagnose = defineQuestion({
  arguments: z.strictObject({}),
  result: returns<Diagnosis>(),
  errors: [],
  longWork: () => 'diagnosis',
  isKept: true,
  async answer({ trace }) {
    const { diagnose } = await import('../analysis/findings/diagnose.ts');
    return ok(diagnose(trace).diagnosis);
  },
});
