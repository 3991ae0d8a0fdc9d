import { type ColumnArray, columnArray, storedType } from '../../shared/model/columns.ts';
import { columnSpecs, tableNames } from '../../shared/model/schema.ts';
import type { Tables, Trace } from '../../shared/model/trace.ts';
import { sharedLike } from './shared-array.ts';

/** `trace` with its columns of names as narrow as its number of names allows. */
export function narrowNames(trace: Trace): Trace {
  const type = storedType('name', trace.names.length);
  if (type !== 'u16') return trace;
  const tables = tableNames.map((name) => {
    const table = trace.tables[name];
    const columns: Record<string, ColumnArray> = { ...table.columns };
    for (const [column, spec] of columnSpecs(name)) {
      const wide = columns[column];
      if (spec.type !== 'name' || !(wide instanceof Uint32Array)) continue;
      const narrow = sharedLike(columnArray(type, 0), wide.length);
      narrow.set(wide);
      columns[column] = narrow;
    }
    return [name, { ...table, columns }];
  });
  return { ...trace, tables: Object.fromEntries(tables) as Tables };
}
