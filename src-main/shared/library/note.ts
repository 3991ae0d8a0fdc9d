import { z } from 'zod';
import { moment, savedEvent } from './saved-event.ts';
import { savedView } from './view.ts';

/** What the user writes: a note (Markdown) or a bookmark, on a moment, a range or an event. */
export const noteDraft = z
  .strictObject({
    id: z.uuid(),
    kind: z.enum(['note', 'bookmark']),
    text: z.string().max(100_000),
    startNs: moment,
    /** Equal to `startNs` for a moment. */
    endNs: moment,
    event: savedEvent.optional(),
    /** The digit that recalls a bookmark. */
    slot: z.number().int().min(1).max(9).optional(),
    /** What a bookmark brings back on the screen. */
    view: savedView.optional(),
  })
  .refine(({ startNs, endNs }) => endNs >= startNs, 'a note cannot end before it starts');
export type NoteDraft = z.infer<typeof noteDraft>;

export type Note = NoteDraft & {
  /** ISO 8601. */
  readonly createdAt: string;
  readonly updatedAt: string;
};

/** The most notes one investigation keeps. */
export const MAX_NOTES = 5_000;
