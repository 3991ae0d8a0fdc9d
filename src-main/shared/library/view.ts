import { z } from 'zod';
import { MAX_FILTER_LENGTH } from '../rpc/tiles-query.ts';
import { tabs } from '../tabs/tabs.ts';
import { MAX_SYMBOL_LENGTH } from '../text/text.ts';
import { savedEvent } from './saved-event.ts';
import { traceMlFile } from './traceml-summary.ts';

export const flameOrders = ['time', 'heavy', 'sandwich'] as const;
export const flameWeights = [
  'cuda-time',
  'gpu-time',
  'cuda-bytes',
  'off-cpu-time',
  'cpu-samples',
] as const;
export type FlameWeight = (typeof flameWeights)[number];

/** A stretch of time, ns from the trace's begin. */
const timeRange = z
  .strictObject({ startNs: z.number().nonnegative(), endNs: z.number().nonnegative() })
  .refine(({ startNs, endNs }) => endNs >= startNs, 'a range cannot end before it starts');

/** Tracks of ranges had another name until version 1 of the trace format. */
const trackIdToday = (id: string) => id.replace(/^annotation:/, 'range:');

/** Ids of tracks and groups, as timeline/track-model.ts makes them. */
const trackIds = z.array(z.string().max(300).transform(trackIdToday)).max(2_000);

/** What is on the screen, saved with the investigation, in a .stalltrace file, and in a link. */
export const savedView = z.strictObject({
  tab: z.enum(tabs),
  window: timeRange.optional(),
  range: timeRange.optional(),
  /** Over which the range was dragged. */
  rangeTracks: trackIds.optional(),
  event: savedEvent.optional(),
  tracks: z
    .strictObject({
      pinned: trackIds,
      hidden: trackIds,
      expanded: trackIds,
      collapsedGroups: trackIds,
      /** Tracks that were moved: all ids of their group, in the user's order. */
      order: trackIds,
      filter: z.string().max(MAX_FILTER_LENGTH),
      /** Those that tell of the event or the range, on top of all others, which are folded. */
      telling: trackIds.optional(),
    })
    .optional(),
  flame: z
    .strictObject({
      weight: z.enum(flameWeights),
      order: z.enum(flameOrders),
      /** The frame in the middle of a sandwich. */
      symbol: z.string().max(MAX_SYMBOL_LENGTH).optional(),
      file: z.string().max(4_096).optional(),
      search: z.string().max(MAX_FILTER_LENGTH),
      /** Absent = yes. */
      byRole: z.boolean().optional(),
    })
    .optional(),
  /** TraceML's summary of the same run, that stands beside the trace. In no link: it is not a part of the view. */
  traceml: traceMlFile.optional(),
});
export type SavedView = z.infer<typeof savedView>;
