import { z } from 'zod';
import { ok } from '../shared/rpc/result.ts';
import { returns } from '../shared/rpc/rpc.ts';
import { defineQuestion } from './question.ts';

/** The piece of GPU work number `at` of a call, from 0: a row of gpu_work; null where it has none. */
export const workOf = defineQuestion({
  arguments: z.strictObject({ call: z.int().nonnegative(), at: z.int().nonnegative() }),
  result: returns<number | null>(),
  errors: [],
  answer: async ({ timeline }, { call, at }) => ok(timeline().workOf(call, at)),
});
