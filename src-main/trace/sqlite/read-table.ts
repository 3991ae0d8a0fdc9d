import type { DatabaseSync, SQLOutputValue } from 'node:sqlite';
import { cleanText, MAX_NAME_LENGTH } from '../../shared/text/text.ts';

/** Reading tables of which neither the columns nor the cell types can be relied on. */

export type Row = readonly SQLOutputValue[];

/** Names of the columns of a table, lower case; empty where there is no such table. */
export function columnNames(database: DatabaseSync, table: string): ReadonlySet<string> {
  const entry = database
    .prepare("SELECT 1 FROM sqlite_schema WHERE lower(name) = ? AND type IN ('table', 'view')")
    .get(table);
  if (entry === undefined) return new Set();
  const columns = database.prepare(`PRAGMA table_xinfo(${table})`).all();
  return new Set(columns.map(({ name }) => String(name).toLowerCase()));
}

/** The rows of `sql` as arrays, integers as bigint: a 64-bit integer may exceed 2^53. */
export function readRows(
  database: DatabaseSync,
  sql: string,
  ...parameters: bigint[]
): Iterable<Row> {
  const statement = database.prepare(sql);
  statement.setReadBigInts(true);
  statement.setReturnArrays(true);
  return statement.iterate(...parameters) as unknown as Iterable<Row>;
}

/** `column` where the table has it, else the literal `otherwise`, so that rows keep their shape. */
export function columnOr(columns: ReadonlySet<string>, column: string, otherwise: string): string {
  return columns.has(column) ? column : otherwise;
}

/** SQL for a text column cut to `length` characters, so that a megabyte never leaves SQLite. */
export function textColumn(
  columns: ReadonlySet<string>,
  column: string,
  length = MAX_NAME_LENGTH + 1,
): string {
  if (!columns.has(column)) return "''";
  return `CASE typeof(${column}) WHEN 'text' THEN substr(${column}, 1, ${length}) ELSE '' END`;
}

/** A text cell made harmless; empty where it is not text. */
export function text(cell: SQLOutputValue | undefined, maxLength = MAX_NAME_LENGTH): string {
  return typeof cell === 'string' ? cleanText(cell, maxLength) : '';
}

/** An integer cell as an exact number, or `undefined` where it is none or beyond 2^53. */
export function integer(cell: SQLOutputValue | undefined): number | undefined {
  if (typeof cell !== 'bigint') return undefined;
  const value = Number(cell);
  return Number.isSafeInteger(value) ? value : undefined;
}

/** A numeric cell as a finite number. */
export function real(cell: SQLOutputValue | undefined): number | undefined {
  if (typeof cell === 'bigint') return Number(cell);
  return typeof cell === 'number' && Number.isFinite(cell) ? cell : undefined;
}

/** The first `limit` entries of a JSON array in a text cell; none where it is no such thing. */
export function jsonArray(cell: unknown, limit: number): readonly unknown[] {
  if (typeof cell !== 'string' || cell === '') return [];
  try {
    const value: unknown = JSON.parse(cell);
    return Array.isArray(value) ? value.slice(0, limit) : [];
  } catch {
    return [];
  }
}
