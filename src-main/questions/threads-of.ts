import { z } from 'zod';
import { tableNames } from '../shared/model/schema.ts';
import { ok } from '../shared/rpc/result.ts';
import { returns } from '../shared/rpc/rpc.ts';
import { defineQuestion } from './question.ts';

/** The threads with events in a table: indexes into threads. */
export const threadsOf = defineQuestion({
  arguments: z.strictObject({ table: z.enum(tableNames) }),
  result: returns<readonly number[]>(),
  errors: [],
  answer: async ({ timeline }, { table }) => ok(timeline().threadsOf(table)),
});
