import { z } from 'zod';
import { type RangeFigures, rangeKeys } from '../shared/answers/range-figures.ts';
import { moment } from '../shared/library/saved-event.ts';
import { ok } from '../shared/rpc/result.ts';
import { returns } from '../shared/rpc/rpc.ts';
import { MOST_TRACKS } from './event-arguments.ts';
import { defineQuestion } from './question.ts';

/** Statistics of the events of tracks in a range, told apart by one key or by two. */
export const rangeFigures = defineQuestion({
  arguments: z.strictObject({
    tracks: z.array(z.int().nonnegative()).max(MOST_TRACKS),
    startNs: moment,
    endNs: moment,
    keys: z.tuple([z.enum(rangeKeys)]).or(z.tuple([z.enum(rangeKeys), z.enum(rangeKeys)])),
  }),
  result: returns<RangeFigures>(),
  errors: [],
  answer: async ({ timeline }, { tracks, startNs, endNs, keys }) => {
    const steps = timeline().range(tracks, { startNs, endNs }, keys);
    for (let step = steps.next(); ; step = steps.next()) {
      if (step.done === true) return ok(step.value);
      // Short questions are answered meanwhile.
      await new Promise((resolve) => setTimeout(resolve));
    }
  },
});
