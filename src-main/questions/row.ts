import { z } from 'zod';
import type { RowValues } from '../shared/answers/row-values.ts';
import { tableNames } from '../shared/model/schema.ts';
import { fail, ok } from '../shared/rpc/result.ts';
import { returns } from '../shared/rpc/rpc.ts';
import { defineQuestion } from './question.ts';

/** All that row `row` of a table holds: of most columns nobody needs more than the row that is looked at. */
export const row = defineQuestion({
  arguments: z.strictObject({ table: z.enum(tableNames), row: z.number().int().nonnegative() }),
  result: returns<RowValues>(),
  errors: ['not-found'],
  answer: async ({ trace }, { table, row: wanted }) => {
    const { rows, columns } = trace.tables[table];
    if (wanted >= rows) return fail('not-found', `This trace has no row ${wanted} in ${table}.`);
    const held = Object.entries<ArrayLike<number> | undefined>(columns);
    return ok(
      Object.fromEntries(
        held.flatMap(([name, values]) => (values === undefined ? [] : [[name, values[wanted]]])),
      ),
    );
  },
});
