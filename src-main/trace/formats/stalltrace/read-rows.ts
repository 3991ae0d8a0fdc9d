import type { DatabaseSync } from 'node:sqlite';
import type { TableName } from '../../../shared/model/schema.ts';
import type { RowBuilder } from '../../build/rows.ts';
import type { TraceBuilder } from '../../build/trace-builder.ts';
import type { NumberRows } from '../../sqlite/number-cells.ts';
import { readNumbers } from '../../sqlite/read-numbers.ts';
import type { ReadingThreads } from '../../sqlite/read-together.ts';
import {
  type ColumnReader,
  createColumnReader,
  type Dangling,
  type IdMaps,
  readRowId,
} from './column-readers.ts';
import { type EventColumn, isTableOfRows } from './schema.ts';

/** A table of the file, with the columns to be read. */
export interface TableSource {
  readonly table: TableName;
  /** What the file calls it. */
  readonly sqlName: string;
  readonly columns: readonly EventColumn[];
  /** The column with the ids by which other rows name these, where there is one. */
  readonly rowIdColumn?: string;
  /** Rows it has, or a few more. */
  readonly total: number;
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
    isAppended: true,
    // A row that was kept by its number is that row forever.
    keepsTies: true,
  });
  const readers = columns.map((column) => createColumnReader(table, column, ids, dangling));
  const sqlNames = columns.map((column) => column.sqlName);
  if (rowIdColumn !== undefined) {
    readers.push(readRowId);
    sqlNames.push(rowIdColumn);
  }
  let skipped = 0;
  const pages = threads?.read(sqlName, sqlNames, total) ?? readNumbers(database, sqlName, sqlNames);
  for (const page of pages) {
    skipped += addPage(rows, names, readers, page);
    onRows(page.count);
  }
  rows.finish();
  return skipped;
}

/** Adds the rows of a page; how many of them could not be used. */
function addPage(
  rows: RowBuilder<TableName, never>,
  names: readonly string[],
  readers: readonly ColumnReader[],
  page: NumberRows,
): number {
  const unusable = new Uint8Array(page.count);
  const cells = readers.map((read, index) => {
    const column = page.column(index);
    read(column, unusable);
    return column;
  });
  markTooLate(cells[names.indexOf('startNs')], cells[names.indexOf('durationNs')], unusable);
  const count = packUsable(cells, unusable);
  const columns = new Map(names.map((name, index) => [name, cells[index]]));
  rows.appendRows(count, columns, cells[names.length]);
  return page.count - count;
}

/** What ends later than a float tells to the ns can't be used. */
function markTooLate(
  starts: Float64Array,
  durations: Float64Array | undefined,
  unusable: Uint8Array,
): void {
  for (let row = 0; row < starts.length; row++) {
    const endNs = starts[row] + (durations === undefined ? 0 : durations[row]);
    if (!(endNs <= Number.MAX_SAFE_INTEGER)) unusable[row] = 1;
  }
}

/** Moves the cells of usable rows together, in their order; how many these are. */
function packUsable(cells: readonly Float64Array[], unusable: Uint8Array): number {
  const firstUnusable = unusable.indexOf(1);
  if (firstUnusable < 0) return unusable.length;
  let count = firstUnusable;
  for (let row = firstUnusable; row < unusable.length; row++) {
    if (unusable[row] === 1) continue;
    for (const column of cells) column[count] = column[row];
    count++;
  }
  return count;
}
