import type { DatabaseSync } from 'node:sqlite';
import { MAX_SYMBOL_LENGTH } from '../../../shared/text/text.ts';
import { type Cell, readPages } from './cells.ts';
import { type EntityTable, type EntityTableName, entityTables } from './entity-tables.ts';
import type { FileSchema } from './file-schema.ts';

/** One more than is kept of any text, so that cutting it shows. */
const READ_TEXT_LENGTH = 4097;
const READ_SYMBOL_LENGTH = MAX_SYMBOL_LENGTH + 1;
/** Rows with so long a text that are read at once: 64 MB of them at most. */
const SYMBOL_PAGE_ROWS = 4_000;

type ColumnOf<T extends EntityTableName> = keyof (typeof entityTables)[T]['columns'] & string;

export type EntityRow<T extends EntityTableName> = { readonly [C in ColumnOf<T>]: Cell };

function selectTerm(sqlName: string, sqlType: string, present: boolean): string {
  if (!present) return 'NULL';
  const isNumber = sqlType.startsWith('INTEGER') || sqlType === 'REAL';
  const length = sqlName === 'symbol' ? READ_SYMBOL_LENGTH : READ_TEXT_LENGTH;
  return isNumber ? sqlName : `substr(${sqlName}, 1, ${length})`;
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
  const pageRows = 'symbol' in spec.columns ? SYMBOL_PAGE_ROWS : undefined;
  for (const page of readPages(database, table, terms, pageRows))
    for (const row of page)
      yield Object.fromEntries(
        columns.map(([name], index) => [name, row[index + 1] ?? null]),
      ) as EntityRow<T>;
}
