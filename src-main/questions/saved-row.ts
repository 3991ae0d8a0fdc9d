import { z } from 'zod';
import { savedEvent } from '../shared/library/saved-event.ts';
import { ok } from '../shared/rpc/result.ts';
import { returns } from '../shared/rpc/rpc.ts';
import { defineQuestion } from './question.ts';

/** The row that a saved event is in this reading of the trace; null where it is not there any more. */
export const savedRow = defineQuestion({
  arguments: z.strictObject({ saved: savedEvent }),
  result: returns<number | null>(),
  errors: [],
  answer: async ({ timeline }, { saved }) => ok(timeline().rowOf(saved)),
});
