import { z } from 'zod';
import type { PlacedEvent } from '../shared/answers/placed-event.ts';
import { moment } from '../shared/library/saved-event.ts';
import { ok } from '../shared/rpc/result.ts';
import { returns } from '../shared/rpc/rpc.ts';
import { defineQuestion } from './question.ts';

/** What a track shows at a moment; null where that is nothing. */
export const around = defineQuestion({
  arguments: z.strictObject({ track: z.int().nonnegative(), ns: moment }),
  result: returns<PlacedEvent | null>(),
  errors: [],
  answer: async ({ timeline }, { track, ns }) => ok(timeline().around(track, ns)),
});
