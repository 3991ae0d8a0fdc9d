import { z } from 'zod';
import type { EventLine } from '../shared/answers/placed-event.ts';
import { ok } from '../shared/rpc/result.ts';
import { returns } from '../shared/rpc/rpc.ts';
import { eventRef } from './event-arguments.ts';
import { defineQuestion } from './question.ts';

/** Events as lists show them. */
export const lines = defineQuestion({
  arguments: z.strictObject({ events: z.array(eventRef).max(2_000) }),
  result: returns<readonly EventLine[]>(),
  errors: [],
  answer: async ({ timeline }, { events }) => ok(timeline().lines(events)),
});
