import type { DatabaseSync } from 'node:sqlite';
import type { ColumnArray } from '../../../shared/model/columns.ts';
import { NONE, type TableName } from '../../../shared/model/schema.ts';
import type { RowBuilder } from '../../build/rows.ts';
import type { TraceBuilder } from '../../build/trace-builder.ts';
import { readPages } from '../../sqlite/read-pages.ts';
import type { ReadingThreads, Rows } from '../../sqlite/read-together.ts';
import { type CellReader, createCellReader, type Dangling, type IdMaps } from './cell-readers.ts';
import { type EventColumn, isTableOfRows } from './schema.ts';

/** A table of the file, with the columns to be read. */
export interface TableSource {
  readonly table: TableName;
  /** What the file calls it. */
  readonly sqlName: string;
  readonly columns: readonly EventColumn[];
  /** The column with the ids by which other rows name these, where there is one. */
  readonly rowIdColumn?: string;
  /** Rows it has. */
  readonly total: number;
}

/** How many rows a table of the file has. */
export function countRows(database: DatabaseSync, sqlName: string): number {
  return Number(database.prepare(`SELECT count(*) AS rows FROM ${sqlName}`).get()?.rows ?? 0);
}

/**
 * Gives `trace` one table of events; `onRows` hears after every page how many rows it had. The result is
 * how many were left out because a cell was not what it has to be.
 */
export function readTable(
  database: DatabaseSync,
  { table, sqlName, columns, rowIdColumn, total }: TableSource,
  trace: TraceBuilder,
  ids: IdMaps,
  dangling: Dangling,
  onRows: (rows: number) => void,
  threads: ReadingThreads | undefined,
): number {
  const names = columns.map(({ name }) => name);
  const rows = trace.rows(table, {
    optional: names as never[],
    expected: total,
    // Rows may need one more, which says that the name is not known.
    mostNames: trace.names.texts.length + 1,
    hasIds: isTableOfRows(table),
    // A row that was kept by its number is that row forever.
    keepsTies: true,
  });
  const readers = columns.map((column) => createCellReader(table, column, ids, dangling));
  const sqlNames = columns.map((column) => column.sqlName);
  if (rowIdColumn !== undefined) {
    readers.push((cell) => (typeof cell === 'number' && Number.isSafeInteger(cell) ? cell : NONE));
    sqlNames.push(rowIdColumn);
  }
  let skipped = 0;
  const pages = threads?.read(sqlName, sqlNames, total) ?? readAlone(database, sqlName, sqlNames);
  for (const page of pages) {
    skipped += addPage(rows, names, readers, page);
    onRows(page.count);
  }
  rows.finish();
  return skipped;
}

function* readAlone(
  database: DatabaseSync,
  sqlName: string,
  columns: readonly string[],
): Generator<Rows> {
  // The rowid stands before the columns.
  for (const page of readPages(database, sqlName, columns))
    yield { count: page.length, cell: (row, column) => page[row][column + 1] };
}

/** Adds the rows of a page; how many of them could not be used. */
function addPage(
  rows: RowBuilder<TableName, never>,
  names: readonly string[],
  readers: readonly CellReader[],
  page: Rows,
): number {
  rows.reserve(page.count);
  const columns = rows.columns as unknown as Readonly<Record<string, ColumnArray>>;
  const arrays: ColumnArray[] = names.map((name) => columns[name]);
  if (readers.length > arrays.length) arrays.push(rows.ids);
  const { startNs: starts, durationNs: durations } = columns;
  let skipped = 0;
  for (let row = 0; row < page.count; row++) {
    const at = rows.add();
    let usable = true;
    for (let index = 0; index < readers.length && usable; index++) {
      const value = readers[index](page.cell(row, index));
      if (Number.isNaN(value)) usable = false;
      else arrays[index][at] = value;
    }
    const endNs = starts[at] + (durations === undefined ? 0 : durations[at]);
    if (usable && endNs <= Number.MAX_SAFE_INTEGER) continue;
    rows.drop();
    skipped++;
  }
  return skipped;
}
