import type { DatabaseSync } from 'node:sqlite';
import { type ColumnArray, columnArray, storedType } from '../../../shared/model/columns.ts';
import { NONE, type TableName } from '../../../shared/model/schema.ts';
import { orderByStart } from '../../build/sort-rows.ts';
import { type CellReader, createCellReader, type Dangling, type IdMaps } from './cell-readers.ts';
import { type Cell, readPages } from './cells.ts';
import { type EventColumn, isTableOfRows } from './schema.ts';

export interface ReadTable {
  readonly rows: number;
  /** Sorted by start. Columns that name rows are ids still: see resolve-rows.ts. */
  readonly columns: Record<string, ColumnArray>;
  /** Ids the rows were given by their writer, where it has them; -1 = none. */
  readonly rowIds?: Float64Array;
  /** Rows left out because a cell was not what it has to be. */
  readonly skipped: number;
  /** Latest end, ns. */
  readonly endNs: number;
}

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

interface Filling {
  readonly arrays: ColumnArray[];
  readonly readers: CellReader[];
  readonly starts: Float64Array;
  readonly durations: ColumnArray | undefined;
  rows: number;
  skipped: number;
  endNs: number;
}

/** Ids of rows exceed the 32 bits of the positions they become. */
function arrayFor({ cell, spec }: EventColumn, rows: number, names: number): ColumnArray {
  return columnArray(isTableOfRows(cell) ? 'f64' : storedType(spec.type, names), rows);
}

function fillPage(filling: Filling, page: readonly Cell[][]): void {
  const { arrays, readers, starts, durations } = filling;
  for (const row of page) {
    const at = filling.rows;
    // The file grew while it was read.
    if (at === starts.length) return;
    let usable = true;
    for (let index = 0; index < readers.length && usable; index++) {
      const value = (readers[index] as CellReader)(row[index + 1] as Cell);
      if (Number.isNaN(value)) usable = false;
      else (arrays[index] as ColumnArray)[at] = value;
    }
    const endNs =
      (starts[at] as number) + (durations === undefined ? 0 : (durations[at] as number));
    if (usable && endNs <= Number.MAX_SAFE_INTEGER) {
      filling.rows = at + 1;
      if (endNs > filling.endNs) filling.endNs = endNs;
    } else filling.skipped++;
  }
}

/** How many rows a table of the file has. */
export function countRows(database: DatabaseSync, sqlName: string): number {
  return Number(database.prepare(`SELECT count(*) AS rows FROM ${sqlName}`).get()?.rows ?? 0);
}

/** Not reorderColumns: ids of rows are wider than the columns they become. */
function reordered(array: ColumnArray, order: Uint32Array): ColumnArray {
  const sorted = array.slice();
  for (let row = 0; row < order.length; row++) sorted[row] = array[order[row] as number] as number;
  return sorted;
}

/** Stands for the ids of rows among the model's columns, which are called otherwise. */
const ROW_IDS = '(ids)';

/** The columns cut to the rows that were kept, in order of start. */
function finish(filling: Filling, names: readonly string[]): ReadTable {
  const { rows, skipped, endNs } = filling;
  const starts = filling.starts.subarray(0, rows);
  const order = orderByStart(starts);
  const columns: Record<string, ColumnArray> = {};
  filling.arrays.forEach((array, index) => {
    const kept = rows === array.length ? array : array.slice(0, rows);
    columns[names[index] ?? ''] = order === undefined ? kept : reordered(kept, order);
  });
  const { [ROW_IDS]: rowIds, ...rest } = columns;
  const result = { rows, columns: rest, skipped, endNs };
  return rowIds === undefined ? result : { ...result, rowIds: rowIds as Float64Array };
}

/** Reads one table of events; `onRows` hears after every page how many rows it had. */
export function readTable(
  database: DatabaseSync,
  { table, sqlName, columns, rowIdColumn, total }: TableSource,
  maps: IdMaps,
  dangling: Dangling,
  onRows: (rows: number) => void,
): ReadTable {
  // Rows may need one more, which says that the name is not known.
  const mostNames = maps.names.texts.length + 1;
  const arrays = columns.map((column) => arrayFor(column, total, mostNames));
  const readers = columns.map((column) => createCellReader(table, column, maps, dangling));
  const names = columns.map((column) => column.name);
  const sqlNames = columns.map((column) => column.sqlName);
  if (rowIdColumn !== undefined) {
    arrays.push(new Float64Array(total));
    readers.push((cell) => (typeof cell === 'number' && Number.isSafeInteger(cell) ? cell : NONE));
    names.push(ROW_IDS);
    sqlNames.push(rowIdColumn);
  }
  const durations = arrays[names.indexOf('durationNs')];
  const starts = arrays[names.indexOf('startNs')] as Float64Array;
  const filling = { arrays, readers, starts, durations, rows: 0, skipped: 0, endNs: 0 };
  for (const page of readPages(database, sqlName, sqlNames)) {
    fillPage(filling, page);
    onRows(page.length);
  }
  return finish(filling, names);
}
