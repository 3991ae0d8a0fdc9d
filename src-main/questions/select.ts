import type { SelectedEvent } from '../shared/answers/placed-event.ts';
import { ok } from '../shared/rpc/result.ts';
import { returns } from '../shared/rpc/rpc.ts';
import { eventRef } from './event-arguments.ts';
import { defineQuestion } from './question.ts';

/** Where an event is on the timeline, and what belongs to it. */
export const select = defineQuestion({
  arguments: eventRef,
  result: returns<SelectedEvent>(),
  errors: [],
  answer: async ({ timeline }, event) => ok(timeline().select(event)),
});
