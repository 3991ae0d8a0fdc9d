import { z } from 'zod';
import { type RangeFigures, rangeKeys } from '../shared/answers/range-figures.ts';
import { moment } from '../shared/library/saved-event.ts';
import { ok } from '../shared/rpc/result.ts';
import { returns } from '../shared/rpc/rpc.ts';
import { inSteps } from './in-steps.ts';
import { defineQuestion } from './question.ts';
import { trackSet, tracksOf } from './track-set.ts';

/** Statistics of the events of tracks in a range, told apart by one key or by two. */
export const rangeFigures = defineQuestion({
  arguments: z.strictObject({
    tracks: trackSet,
    startNs: moment,
    endNs: moment,
    /** Whether it is also told which calls were counted and are not stored: each of their names looks at all calls. */
    unstored: z.boolean(),
    keys: z.tuple([z.enum(rangeKeys)]).or(z.tuple([z.enum(rangeKeys), z.enum(rangeKeys)])),
  }),
  result: returns<RangeFigures>(),
  errors: [],
  answer: async ({ timeline }, { tracks, startNs, endNs, keys, unstored }, signal) => {
    const range = { startNs, endNs };
    return ok(await inSteps(timeline().range(tracksOf(tracks), range, keys, unstored), signal));
  },
});
