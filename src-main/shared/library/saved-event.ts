import { z } from 'zod';
import { type TableName, tableNames } from '../model/schema.ts';

/** A time of a saved thing: ns from the trace's begin. */
export const moment = z.number().nonnegative().max(Number.MAX_SAFE_INTEGER);

/** What `range` was called until version 1 of the trace format. */
const formerTable = z.literal('annotation').transform((): TableName => 'range');

/**
 * A row of a table, with what tells whether it is still that row: another version of the importer
 * may number rows differently.
 */
export const savedEvent = z.strictObject({
  table: z.enum(tableNames as [TableName, ...TableName[]]).or(formerTable),
  row: z.number().int().nonnegative(),
  startNs: moment,
  durationNs: moment,
  /** What it was called when it was saved, for lists that have no trace at hand. */
  label: z.string().max(300),
});
export type SavedEvent = z.infer<typeof savedEvent>;
