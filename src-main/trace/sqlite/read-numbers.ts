import type { DatabaseSync } from 'node:sqlite';
import { type NumberRows, numberRows, writeCells } from './number-cells.ts';
import { readPages } from './read-pages.ts';

/** The rows of `table` in the order of their rowids, read by this thread alone. */
export function* readNumbers(
  database: DatabaseSync,
  table: string,
  columns: readonly string[],
): Generator<NumberRows> {
  for (const page of readPages(database, table, columns)) {
    const cells = new Float64Array(columns.length * page.length);
    // The rowid stands before the columns.
    writeCells(page, { first: 1, columns: columns.length, cells, stride: page.length });
    yield numberRows(page.length, cells, page.length);
  }
}
