import type { DatabaseSync, StatementSync } from 'node:sqlite';
import { type ColumnArray, rowCount } from '../../../shared/model/columns.ts';
import { NONE, type TableName, tableNames } from '../../../shared/model/schema.ts';
import type { Trace } from '../../../shared/model/trace.ts';
import { callIdColumn, eventColumns } from './schema.ts';

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

/** Which calls other rows refer to: only those get an id in the file. */
function referredCalls(trace: Trace): Uint8Array {
  const { cuda_call: calls, gpu_work: work } = trace.tables;
  const referred = new Uint8Array(rowCount(calls.columns));
  for (const column of [calls.columns.parent, work.columns.call])
    for (const call of column ?? []) if (call !== NONE) referred[call] = 1;
  return referred;
}

function writeTable(database: DatabaseSync, trace: Trace, table: TableName): void {
  const columns = trace.tables[table].columns as unknown as Record<string, ColumnArray | undefined>;
  const sources = eventColumns(table).flatMap(({ name, sqlName, spec }) => {
    const array = columns[name];
    return array === undefined ? [] : [{ sqlName, array, none: spec.none }];
  });
  const sqlNames = sources.map(({ sqlName }) => sqlName);
  const referred = table === 'cuda_call' ? referredCalls(trace) : undefined;
  if (referred !== undefined) sqlNames.push(callIdColumn.sqlName);
  const insert = prepareInsert(database, table, sqlNames);
  const row: Value[] = new Array(sqlNames.length).fill(null);
  const rows = rowCount(trace.tables[table].columns);
  for (let at = 0; at < rows; at++) {
    for (let index = 0; index < sources.length; index++) {
      const { array, none } = sources[index] as (typeof sources)[number];
      const value = array[at] as number;
      row[index] = value === none ? null : value;
    }
    if (referred !== undefined) row[sources.length] = referred[at] === 1 ? at : null;
    insert.run(...row);
  }
}

/** Writes every event of a trace. Throws what SQLite throws. */
export function writeEvents(database: DatabaseSync, trace: Trace): void {
  for (const table of tableNames) writeTable(database, trace, table);
}
