import type { DatabaseSync } from 'node:sqlite';
import { countRows } from '../../sqlite/count-rows.ts';
import { readNumbers } from '../../sqlite/read-numbers.ts';
import { readPages } from '../../sqlite/read-pages.ts';
import { columnNames } from '../../sqlite/read-table.ts';
import { LARGE_ROWS, ReadingThreads } from '../../sqlite/read-together.ts';
import type { Cell } from '../../sqlite/row-query.ts';

interface ReadingOptions {
  /** Hears of every 20,000 rows. */
  readonly onPage?: () => void;
  /** A table of fewer rows is read by one thread, as long as no others run. */
  readonly leastRows?: number;
}

/** Some rows of a table. */
interface Page {
  readonly count: number;
  /** What was asked for, in that order. NULL is -Infinity; a text, or what is no finite number, is NaN. */
  readonly cells: readonly Float64Array[];
}

/** The tables of an export: each version has others, and other columns; what is empty is not there at all. */
export class ExportTables {
  readonly #database: DatabaseSync;
  readonly #onPage: () => void;
  readonly #leastRows: number;
  readonly #columns = new Map<string, ReadonlySet<string>>();
  readonly #counts = new Map<string, number>();
  #threads: ReadingThreads | undefined;

  constructor(database: DatabaseSync, options: ReadingOptions = {}) {
    const { onPage = () => undefined, leastRows = LARGE_ROWS } = options;
    this.#database = database;
    this.#onPage = onPage;
    this.#leastRows = leastRows;
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

  /** How many rows these tables have together, or a few more. */
  count(...tables: string[]): number {
    return tables.reduce((sum, table) => sum + this.#countOf(table), 0);
  }

  #countOf(table: string): number {
    if (!this.has(table)) return 0;
    const known = this.#counts.get(table);
    if (known !== undefined) return known;
    const width = this.columnsOf(table).size;
    const [count] = countRows(this.#database, [{ sqlName: table, width }]);
    this.#counts.set(table, count);
    return count;
  }

  /** Rows of a table in the order they were written; a column that it lacks is NULL. */
  *rows(table: string, columns: readonly (string | Term)[]): Generator<readonly Cell[]> {
    if (!this.has(table)) return;
    for (const page of readPages(this.#database, table, this.#terms(table, columns))) {
      this.#onPage();
      // The rowid stands before them.
      for (const row of page) yield row.slice(1);
    }
  }

  /** As `rows`, of columns that hold numbers: a large table is read by native code, where it is there, and by several threads. */
  *pages(table: string, columns: readonly (string | Term)[]): Generator<Page> {
    if (!this.has(table)) return;
    const terms = this.#terms(table, columns);
    const read = this.#together(table, terms) ?? readNumbers(this.#database, table, terms);
    for (const rows of read) {
      this.#onPage();
      yield { count: rows.count, cells: terms.map((_, index) => rows.column(index)) };
    }
  }

  #together(table: string, terms: readonly string[]) {
    const count = this.#countOf(table);
    if (this.#threads === undefined && count < this.#leastRows) return undefined;
    this.#threads ??= new ReadingThreads(this.#database, { leastRows: this.#leastRows });
    return this.#threads.read(table, terms, count);
  }

  /** How many chunks of tables native code has read. */
  get nativeChunks(): number {
    return this.#threads?.nativeChunks ?? 0;
  }

  /** Ends what reads beside this thread; nothing is read afterwards. */
  async end(): Promise<void> {
    await this.#threads?.end();
  }

  #terms(table: string, columns: readonly (string | Term)[]): string[] {
    const present = this.columnsOf(table);
    return columns.map((column) => {
      const { of, sql } = typeof column === 'string' ? { of: column, sql: column } : column;
      return present.has(of.toLowerCase()) ? sql : 'NULL';
    });
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
