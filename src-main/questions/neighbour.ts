import { z } from 'zod';
import type { PlacedEvent } from '../shared/answers/placed-event.ts';
import { ok } from '../shared/rpc/result.ts';
import { returns } from '../shared/rpc/rpc.ts';
import { MAX_FILTER_LENGTH } from '../shared/rpc/tiles-query.ts';
import { defineQuestion } from './question.ts';
import { trackSet, tracksOf } from './track-set.ts';

/**
 * The event that starts next after a moment (`by` = 1) or last before it (-1) on any of the tracks, of those that a filter
 * picks where there is one; null where there is none.
 */
export const neighbour = defineQuestion({
  arguments: z.strictObject({
    tracks: trackSet,
    /** Those of them that show all their lines. */
    expanded: trackSet,
    filter: z.string().max(MAX_FILTER_LENGTH).optional(),
    fromNs: z.number(),
    by: z.union([z.literal(1), z.literal(-1)]),
  }),
  result: returns<PlacedEvent | null>(),
  errors: [],
  answer: async ({ timeline }, { tracks, expanded, filter, fromNs, by }) => {
    const isExpanded = new Set(tracksOf(expanded));
    const rows = tracksOf(tracks).map((track) => ({ track, expanded: isExpanded.has(track) }));
    return ok(timeline().neighbour(rows, filter, fromNs, by));
  },
});
