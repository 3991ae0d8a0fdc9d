import { z } from 'zod';
import { type TableName, tableNames } from './model/schema.ts';

/** Times of a saved thing: ns from the trace's begin. */
const moment = z.number().nonnegative().max(Number.MAX_SAFE_INTEGER);

/**
 * A row of a table, with what tells whether it is still that row: another version of the importer
 * may number rows differently.
 */
export const savedEvent = z.strictObject({
  table: z.enum(tableNames as [TableName, ...TableName[]]),
  row: z.number().int().nonnegative(),
  startNs: moment,
  durationNs: moment,
  /** What it was called when it was saved, for lists that have no trace at hand. */
  label: z.string().max(300),
});
export type SavedEvent = z.infer<typeof savedEvent>;

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
  })
  .refine(({ startNs, endNs }) => endNs >= startNs, 'a note can not end before it starts');
export type NoteDraft = z.infer<typeof noteDraft>;

export type Note = NoteDraft & {
  /** ISO 8601. */
  readonly createdAt: string;
  readonly updatedAt: string;
};

/** The most notes one investigation keeps. */
export const MAX_NOTES = 5_000;
