import { z } from 'zod';
import { tableNames } from '../shared/model/schema.ts';

/** A row of a table; one that there is not has no place. */
export const eventRef = z.strictObject({
  table: z.enum(tableNames),
  row: z.int().nonnegative(),
});
