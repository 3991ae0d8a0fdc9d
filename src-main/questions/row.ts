import { z } from 'zod';
import type { RowFacts } from '../shared/answers/row-facts.ts';
import { tableNames } from '../shared/model/schema.ts';
import { fail, ok } from '../shared/rpc/result.ts';
import { returns } from '../shared/rpc/rpc.ts';
import { defineQuestion } from './question.ts';

/**
 * All that row `row` of a table holds: of most columns nobody needs more than the row that is looked at.
 * Of a row of off_cpu also who ran instead, of GPU work who asked for it.
 */
export const row = defineQuestion({
  arguments: z.strictObject({ table: z.enum(tableNames), row: z.number().int().nonnegative() }),
  result: returns<RowFacts>(),
  errors: ['not-found'],
  answer: async ({ trace, timeline }, { table, row: wanted }) => {
    const { rows, columns } = trace.tables[table];
    if (wanted >= rows) return fail('not-found', `This trace has no row ${wanted} in ${table}.`);
    const held = Object.entries<ArrayLike<number> | undefined>(columns);
    const values = Object.fromEntries(
      held.flatMap(([name, column]) => (column === undefined ? [] : [[name, column[wanted]]])),
    );
    if (table === 'gpu_work') return ok({ values, ...timeline().work(wanted) });
    if (table !== 'off_cpu') return ok({ values });
    const { contentionOfRow } = await import('../analysis/threads/contention.ts');
    const contention = contentionOfRow(trace, wanted);
    return ok({ values, ...(contention.runnableNs > 0 && { contention }) });
  },
});
