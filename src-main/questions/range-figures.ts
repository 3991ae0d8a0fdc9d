import { z } from 'zod';
import { type RangeFigures, rangeKeys } from '../shared/answers/range-figures.ts';
import { MOST_TRACKS } from '../shared/answers/told-tracks.ts';
import { moment } from '../shared/library/saved-event.ts';
import { ok } from '../shared/rpc/result.ts';
import { returns } from '../shared/rpc/rpc.ts';
import { defineQuestion } from './question.ts';

/** Statistics of the events of tracks in a range, told apart by one key or by two. */
export const rangeFigures = defineQuestion({
  arguments: z.strictObject({
    tracks: z.array(z.int().nonnegative()).max(MOST_TRACKS),
    startNs: moment,
    endNs: moment,
    /** Whether it is also told which calls were counted and are not stored: each of their names looks at all calls. */
    unstored: z.boolean(),
    keys: z.tuple([z.enum(rangeKeys)]).or(z.tuple([z.enum(rangeKeys), z.enum(rangeKeys)])),
  }),
  result: returns<RangeFigures>(),
  errors: [],
  answer: async ({ timeline }, { tracks, startNs, endNs, keys, unstored }) => {
    const steps = timeline().range(tracks, { startNs, endNs }, keys, unstored);
    for (let step = steps.next(); ; step = steps.next()) {
      if (step.done === true) return ok(step.value);
      // Short questions are answered meanwhile.
      await new Promise((resolve) => setTimeout(resolve));
    }
  },
});
