import { pathToFileURL } from 'node:url';
import { findNative, type NativeLibrary } from './library.ts';

/** native/src/rows.h: rows of a database that may be hostile, as numbers in an array of ours. */

/** SQLite's run-time limits that are set, https://www.sqlite.org/c3ref/c_limit_attached.html. */
export interface RowLimits {
  readonly length: number;
  readonly sqlLength: number;
  readonly column: number;
  readonly exprDepth: number;
  readonly compoundSelect: number;
  readonly vdbeOp: number;
  readonly functionArg: number;
  readonly attach: number;
  readonly likePatternLength: number;
  readonly variableNumber: number;
  readonly triggerDepth: number;
}

/** In the order of SQLite's numbers for them. */
const LIMITS: readonly (keyof RowLimits)[] = [
  ...(['length', 'sqlLength', 'column', 'exprDepth', 'compoundSelect', 'vdbeOp'] as const),
  ...(['functionArg', 'attach', 'likePatternLength', 'variableNumber', 'triggerDepth'] as const),
];

/** An address that nobody but the library looks behind. */
type Handle = unknown;

/** The functions of rows.h as they are declared there; koffi checks no argument of them. */
interface RowFunctions {
  open(url: string, limits: Int32Array, limitCount: number, code: Int32Array): Handle | null;
  close(database: Handle): void;
  openQuery(database: Handle, table: string, sql: string, code: Int32Array): Handle | null;
  closeQuery(query: Handle): void;
  read(
    query: Handle,
    below: number,
    last: number,
    cells: Float64Array,
    columns: number,
    stride: number,
  ): number;
}

const declared = new WeakMap<NativeLibrary, RowFunctions>();

function declareRows(library: NativeLibrary): RowFunctions {
  const functions = declared.get(library) ?? {
    open: library.declare(
      'void *row_database_open(const char *url, const int32_t *limits, int32_t limit_count, int32_t *code)',
    ),
    close: library.declare('void row_database_close(void *database)'),
    openQuery: library.declare(
      'void *row_query_open(void *database, const char *table, const char *sql, int32_t *code)',
    ),
    closeQuery: library.declare('void row_query_close(void *query)'),
    read: library.declare(
      'int32_t row_query_read(void *query, int64_t below, int64_t last, double *cells, int32_t columns, int32_t stride)',
    ),
  };
  declared.set(library, functions);
  return functions;
}

/** Rows of one statement. */
interface NativeQuery {
  /**
   * Writes the rows whose rowids are above `below` and no higher than `last`, column c of row r to
   * `cells[c * stride + r]`: NULL as -Infinity, what is no finite number as NaN. How many rows these are, at most
   * `stride`; `undefined` where they could not be read, whatever the reason: SQLite in JavaScript says it.
   */
  read(below: number, last: number, cells: Float64Array): number | undefined;
  close(): void;
}

/** A database opened to be read by native code; belongs to the thread that opened it. */
export interface NativeRows {
  /** A statement that reads `columns` columns of `table` and takes two rowids; `undefined` where SQLite refuses it. */
  query(table: string, sql: string, columns: number, stride: number): NativeQuery | undefined;
  /** Closes its queries too. */
  close(): void;
}

/** The file at `path`, to which nobody writes; `undefined` where there is no native code, or it can't open the file. */
export function openNativeRows(path: string, limits: RowLimits): NativeRows | undefined {
  const { library } = findNative();
  if (library === undefined) return undefined;
  const rows = declareRows(library);
  const url = pathToFileURL(path);
  url.search = '?immutable=1';
  const values = Int32Array.from(LIMITS, (name) => limits[name]);
  const code = new Int32Array(1);
  const database = rows.open(url.href, values, values.length, code);
  if (database === null) return undefined;
  const queries = new Set<NativeQuery>();
  let isOpen = true;
  return {
    query: (table, sql, columns, stride) => {
      if (!isOpen) throw new Error('the database is closed');
      const handle = rows.openQuery(database, table, sql, code);
      if (handle === null) return undefined;
      const query = wrapQuery(rows, handle, columns, stride);
      queries.add(query);
      return query;
    },
    close: () => {
      if (!isOpen) return;
      isOpen = false;
      for (const query of queries) query.close();
      rows.close(database);
    },
  };
}

function wrapQuery(
  rows: RowFunctions,
  query: Handle,
  columns: number,
  stride: number,
): NativeQuery {
  let isOpen = true;
  return {
    read(below, last, cells) {
      // What is written beyond an array or after a free is written into somebody else's memory.
      if (!isOpen) throw new Error('the query is closed');
      if (!(cells instanceof Float64Array) || cells.length < columns * stride)
        throw new RangeError(`${columns} columns of ${stride} rows need a larger array`);
      if (!Number.isSafeInteger(below) || !Number.isSafeInteger(last))
        throw new RangeError('a rowid is no safe integer');
      const count = rows.read(query, below, last, cells, columns, stride);
      return count < 0 ? undefined : count;
    },
    close() {
      if (isOpen) rows.closeQuery(query);
      isOpen = false;
    },
  };
}
