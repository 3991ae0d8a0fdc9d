import { statSync } from 'node:fs';
import type { DatabaseSync } from 'node:sqlite';
import { rowidRange } from './rowid-range.ts';

/** A table of the file. */
interface CountedTable {
  /** What the file calls it. */
  readonly sqlName: string;
  /** How many columns it has. */
  readonly width: number;
}

/**
 * What a row takes beside a byte for each of its columns, at least: where it lies (2 bytes), its length, its number, the length of
 * its header. https://www.sqlite.org/fileformat.html §1.6, §2.1
 */
const LEAST_ROW_BYTES = 5;

/**
 * How many rows each table has, or a few more: to count them would read all of the file. Where their numbers
 * have so many gaps that the file would be too short for such counts, they are counted.
 */
export function countRows(database: DatabaseSync, tables: readonly CountedTable[]): number[] {
  const guessed = tables.map(({ sqlName }) => rowidRange(database, sqlName)?.length);
  const bytes = tables.reduce(
    (sum, { width }, at) => sum + (guessed[at] ?? 0) * (width + LEAST_ROW_BYTES),
    0,
  );
  const arePlausible = bytes <= fileBytes(database);
  return tables.map(({ sqlName }, at) =>
    arePlausible && guessed[at] !== undefined ? guessed[at] : countOf(database, sqlName),
  );
}

function countOf(database: DatabaseSync, sqlName: string): number {
  return Number(database.prepare(`SELECT count(*) AS rows FROM ${sqlName}`).get()?.rows ?? 0);
}

function fileBytes(database: DatabaseSync): number {
  const path = database.location();
  return path === null ? 0 : (statSync(path, { throwIfNoEntry: false })?.size ?? 0);
}
