import { z } from 'zod';
import { ok } from '../shared/rpc/result.ts';
import { returns } from '../shared/rpc/rpc.ts';
import { defineQuestion } from './question.ts';

/** From row `from` of cuda_call to the next faster (`by` = 1) or slower call of the slowest thousand; the slowest where it is none of them. */
export const slowCall = defineQuestion({
  arguments: z.strictObject({ from: z.int(), by: z.union([z.literal(1), z.literal(-1)]) }),
  result: returns<{ readonly row: number; readonly rank: number } | null>(),
  errors: [],
  answer: async ({ timeline }, { from, by }) => ok(timeline().slowCall(from, by)),
});
