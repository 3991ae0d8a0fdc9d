import type { DatabaseSync } from 'node:sqlite';
import { type Cell, readPages } from './cells.ts';
import { type EntityTable, type EntityTableName, entityTables } from './entity-tables.ts';
import type { FileSchema } from './file-schema.ts';

/** One more than is kept of any text, so that cutting it shows. */
const READ_TEXT_LENGTH = 4097;

type ColumnOf<T extends EntityTableName> = keyof (typeof entityTables)[T]['columns'] & string;

export type EntityRow<T extends EntityTableName> = { readonly [C in ColumnOf<T>]: Cell };

function selectTerm(sqlName: string, sqlType: string, present: boolean): string {
  if (!present) return 'NULL';
  const isNumber = sqlType.startsWith('INTEGER') || sqlType === 'REAL';
  return isNumber ? sqlName : `substr(${sqlName}, 1, ${READ_TEXT_LENGTH})`;
}

/** The rows of an entity table by column name; a column or table the file lacks gives NULLs or nothing. */
export function* readEntityRows<T extends EntityTableName>(
  database: DatabaseSync,
  schema: FileSchema,
  table: T,
): Generator<EntityRow<T>> {
  const present = schema.get(table);
  if (present === undefined) return;
  const spec: EntityTable = entityTables[table];
  const columns = Object.entries(spec.columns).filter(([, column]) => column.kept !== true);
  const terms = columns.map(([name, { sqlType }]) => selectTerm(name, sqlType, present.has(name)));
  for (const page of readPages(database, table, terms))
    for (const row of page)
      yield Object.fromEntries(
        columns.map(([name], index) => [name, row[index + 1] ?? null]),
      ) as EntityRow<T>;
}
