import type { DatabaseSync, StatementSync } from 'node:sqlite';
import { rowCount } from '../../../shared/model/columns.ts';
import { columnsOf } from '../../../shared/model/columns-of.ts';
import { NONE, type TableName, tableNames } from '../../../shared/model/schema.ts';
import type { Trace } from '../../../shared/model/trace.ts';
import { eventColumns, isTableOfRows, rowIdColumns, type TableOfRows } from './schema.ts';

type Value = number | bigint | string | null;

/** Prepares the insertion of whole rows into the named columns. */
export function prepareInsert(
  database: DatabaseSync,
  table: string,
  columns: readonly string[],
): StatementSync {
  const places = columns.map(() => '?').join(', ');
  return database.prepare(`INSERT INTO ${table} (${columns.join(', ')}) VALUES (${places})`);
}

/** Which rows of `target` other rows refer to: only those get an id in the file. */
function referredRows(trace: Trace, target: TableOfRows): Uint8Array {
  const referred = new Uint8Array(rowCount(trace.tables[target].columns));
  for (const table of tableNames) {
    const columns = columnsOf(trace, table);
    for (const { name, cell } of eventColumns(table))
      if (cell === target)
        for (const row of columns[name] ?? []) if (row !== NONE) referred[row] = 1;
  }
  return referred;
}

/** Which rows get an id: those that others refer to, or every one, its position. */
type RowIds = 'referred' | 'every';

/** Writes the events of one table. Throws what SQLite throws. */
export function writeTable(
  database: DatabaseSync,
  trace: Trace,
  table: TableName,
  ids: RowIds = 'referred',
): void {
  const columns = columnsOf(trace, table);
  const sources = eventColumns(table).flatMap(({ name, sqlName, spec }) => {
    const array = columns[name];
    return array === undefined ? [] : [{ sqlName, array, none: spec.none }];
  });
  const sqlNames = sources.map(({ sqlName }) => sqlName);
  const referred =
    isTableOfRows(table) && ids === 'referred' ? referredRows(trace, table) : undefined;
  if (isTableOfRows(table)) sqlNames.push(rowIdColumns[table].sqlName);
  const insert = prepareInsert(database, table, sqlNames);
  const row: Value[] = new Array(sqlNames.length).fill(null);
  const rows = rowCount(trace.tables[table].columns);
  for (let at = 0; at < rows; at++) {
    for (let index = 0; index < sources.length; index++) {
      const { array, none } = sources[index] as (typeof sources)[number];
      const value = array[at] as number;
      row[index] = value === none ? null : value;
    }
    if (sqlNames.length > sources.length)
      row[sources.length] = referred === undefined || referred[at] === 1 ? at : null;
    insert.run(...row);
  }
}

/** Writes every event of a trace. Throws what SQLite throws. */
export function writeEvents(database: DatabaseSync, trace: Trace): void {
  for (const table of tableNames) writeTable(database, trace, table);
}
