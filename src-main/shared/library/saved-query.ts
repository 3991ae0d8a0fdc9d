import { z } from 'zod';
import { cleanText } from '../text/text.ts';
import { LONGEST_STATEMENT } from './longest-statement.ts';

/** The most statements that the library keeps. */
export const MAX_SAVED_QUERIES = 1_000;

/** What a user calls a statement: one line, unlike any other's. */
export const queryName = z
  .string()
  .max(200)
  .transform((name) => cleanText(name, 100).trim())
  .refine((name) => name !== '', 'a name has at least one character');

/** A statement as it is typed. */
export const queryText = z.string().max(LONGEST_STATEMENT);

/** A statement of SQL that the user kept, for any trace. */
export interface SavedQuery {
  readonly name: string;
  readonly text: string;
}
