import { z } from 'zod';
import type { PlacedEvent } from '../shared/answers/placed-event.ts';
import { MOST_TRACKS } from '../shared/answers/told-tracks.ts';
import { ok } from '../shared/rpc/result.ts';
import { returns } from '../shared/rpc/rpc.ts';
import { MAX_FILTER_LENGTH } from '../shared/rpc/tiles-query.ts';
import { defineQuestion } from './question.ts';

/**
 * The event that starts next after a moment (`by` = 1) or last before it (-1) on any of the tracks, of those that a filter
 * picks where there is one; null where there is none.
 */
export const neighbour = defineQuestion({
  arguments: z.strictObject({
    tracks: z
      .array(z.strictObject({ track: z.int().nonnegative(), expanded: z.boolean() }))
      .max(MOST_TRACKS),
    filter: z.string().max(MAX_FILTER_LENGTH).optional(),
    fromNs: z.number(),
    by: z.union([z.literal(1), z.literal(-1)]),
  }),
  result: returns<PlacedEvent | null>(),
  errors: [],
  answer: async ({ timeline }, { tracks, filter, fromNs, by }) =>
    ok(timeline().neighbour(tracks, filter, fromNs, by)),
});
