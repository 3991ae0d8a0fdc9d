import type { DatabaseSync } from 'node:sqlite';
import { columnNames } from './read-table.ts';

/** The numbers of a table's first and last row, and how many lie between them. */
interface RowidRange {
  readonly first: bigint;
  readonly last: bigint;
  readonly length: number;
}

/**
 * Undefined where rows can't be told by their numbers, as those of a damaged table whose last comes before its first, or there are
 * none. Reads two rows.
 */
export function rowidRange(database: DatabaseSync, table: string): RowidRange | undefined {
  // A column of that name hides the number.
  if (columnNames(database, table).has('rowid')) return undefined;
  // In one SELECT the two would look at every row.
  const range = database.prepare(
    `SELECT (SELECT min(rowid) FROM ${table}) AS first, (SELECT max(rowid) FROM ${table}) AS last`,
  );
  range.setReadBigInts(true);
  const { first, last } = range.get() ?? {};
  if (typeof first !== 'bigint' || typeof last !== 'bigint' || last < first) return undefined;
  return { first, last, length: Number(last - first) + 1 };
}
