import type { DatabaseSync } from 'node:sqlite';
import { readPages } from '../../sqlite/read-pages.ts';
import { columnNames } from '../../sqlite/read-table.ts';
import type { Cell } from '../../sqlite/row-query.ts';

/** The tables of an export: each version has others, and other columns; what is empty is not there at all. */
export class ExportTables {
  readonly #database: DatabaseSync;
  readonly #onPage: () => void;
  readonly #columns = new Map<string, ReadonlySet<string>>();

  /** `onPage` hears of every 20,000 rows. */
  constructor(database: DatabaseSync, onPage: () => void = () => undefined) {
    this.#database = database;
    this.#onPage = onPage;
  }

  /** Names of the columns, lower case; none where there is no such table. */
  columnsOf(table: string): ReadonlySet<string> {
    const known = this.#columns.get(table);
    if (known !== undefined) return known;
    const columns = columnNames(this.#database, table.toLowerCase());
    this.#columns.set(table, columns);
    return columns;
  }

  has(table: string): boolean {
    return this.columnsOf(table).size > 0;
  }

  /** Rows of a table in the order they were written; a column that it lacks is NULL. */
  *rows(table: string, columns: readonly (string | Term)[]): Generator<readonly Cell[]> {
    const present = this.columnsOf(table);
    if (present.size === 0) return;
    const terms = columns.map((column) => {
      const { of, sql } = typeof column === 'string' ? { of: column, sql: column } : column;
      return present.has(of.toLowerCase()) ? sql : 'NULL';
    });
    for (const page of readPages(this.#database, table, terms)) {
      this.#onPage();
      // The rowid stands before them.
      for (const row of page) yield row.slice(1);
    }
  }
}

/** What is read of a column. */
interface Term {
  readonly of: string;
  readonly sql: string;
}

const BITS_24 = 0xff_ffff;

/** A `globalTid` or `globalPid` is hardware, machine, process and thread in one; it may exceed 2^53. */
export const processIn = (column: string): Term => ({
  of: column,
  sql: `(${column} >> 24) & ${BITS_24}`,
});
export const threadIn = (column: string): Term => ({ of: column, sql: `${column} & ${BITS_24}` });

/** A text cut before it leaves SQLite. */
export const textOf = (column: string, length: number): Term => ({
  of: column,
  sql: `CASE typeof(${column}) WHEN 'text' THEN substr(${column}, 1, ${length}) END`,
});

export function integerOr<Otherwise>(cell: Cell | undefined, otherwise: Otherwise) {
  return typeof cell === 'number' && Number.isSafeInteger(cell) ? cell : otherwise;
}

/** An integer from 0 to `most`; else `otherwise`. */
export function within(cell: Cell | undefined, most: number, otherwise: number): number {
  const value = integerOr(cell, -1);
  return value >= 0 && value <= most ? value : otherwise;
}
