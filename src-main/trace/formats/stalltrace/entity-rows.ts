import type { DatabaseSync } from 'node:sqlite';
import { MAX_SYMBOL_LENGTH } from '../../../shared/text/text.ts';
import { readPages } from '../../sqlite/read-pages.ts';
import type { Cell } from '../../sqlite/row-query.ts';
import { type EntityTable, type EntityTableName, entityTables } from './entity-tables.ts';
import type { FileSchema } from './file-schema.ts';
import type { SqlType } from './schema.ts';

/** One more than is kept of any text, so that cutting it shows. */
const READ_TEXT_LENGTH = 4097;
const READ_SYMBOL_LENGTH = MAX_SYMBOL_LENGTH + 1;
/** Rows with so long a text that are read at once: 64 MB of them at most. */
const SYMBOL_PAGE_ROWS = 4_000;

type ColumnOf<T extends EntityTableName> = keyof (typeof entityTables)[T]['columns'] & string;

export type EntityRow<T extends EntityTableName> = { readonly [C in ColumnOf<T>]: Cell };

/** A column of the file, what its cells should be, and whether they may exceed 2^53. */
export type ReadColumn = readonly [name: string, sqlType: SqlType, isWide?: boolean];

function selectTerm([name, sqlType, isWide]: ReadColumn, present: ReadonlySet<string>): string {
  // The one machine of version 0 has no number.
  if (!present.has(name)) return sqlType === 'INTEGER PRIMARY KEY' ? 'rowid' : 'NULL';
  if (isWide === true) return `CASE typeof(${name}) WHEN 'integer' THEN CAST(${name} AS TEXT) END`;
  const isNumber = sqlType.startsWith('INTEGER') || sqlType === 'REAL';
  const length = name === 'symbol' ? READ_SYMBOL_LENGTH : READ_TEXT_LENGTH;
  return isNumber ? name : `substr(${name}, 1, ${length})`;
}

/** The cells of `columns`, behind the rowid; a column or table the file lacks gives NULLs or nothing. */
export function* readCells(
  database: DatabaseSync,
  schema: FileSchema,
  table: string,
  columns: readonly ReadColumn[],
): Generator<readonly Cell[]> {
  const present = schema.tables.get(table);
  if (present === undefined) return;
  const terms = columns.map((column) => selectTerm(column, present.columns));
  const pageRows = columns.some(([name]) => name === 'symbol') ? SYMBOL_PAGE_ROWS : undefined;
  for (const page of readPages(database, present.sqlName, terms, pageRows)) yield* page;
}

/** The rows of an entity table by column name; a column or table the file lacks gives NULLs or nothing. */
export function* readEntityRows<T extends EntityTableName>(
  database: DatabaseSync,
  schema: FileSchema,
  table: T,
): Generator<EntityRow<T>> {
  const spec: EntityTable = entityTables[table];
  const columns = Object.entries(spec.columns)
    .filter(([, column]) => column.kept !== true)
    .map(([name, { sqlType, wide }]): ReadColumn => [name, sqlType, wide === true]);
  for (const cells of readCells(database, schema, table, columns))
    yield Object.fromEntries(
      columns.map(([name], index) => [name, cells[index + 1] ?? null]),
    ) as EntityRow<T>;
}
