import type { DatabaseSync } from 'node:sqlite';
import { type Cell, createRowQuery } from './row-query.ts';

/** Rows handed over at once: fast enough, and progress can be reported in between. */
const PAGE_ROWS = 20_000;

const FIRST_ROWID = -(2n ** 63n);

/**
 * The rows of `table` in the order they were written, in pages; the cells of `columns` stand
 * behind the rowid. Integers beyond 2^53 come as the nearest float, which is no safe integer.
 */
export function* readPages(
  database: DatabaseSync,
  table: string,
  columns: readonly string[],
  pageRows = PAGE_ROWS,
): Generator<Cell[][]> {
  const select = `SELECT rowid, ${columns.join(', ')} FROM ${table} WHERE rowid > ? ORDER BY rowid LIMIT ${pageRows}`;
  const query = createRowQuery(database, select, 1);
  let last: Cell = FIRST_ROWID;
  for (;;) {
    const rows: Cell[][] = query(last as number | bigint);
    if (rows.length === 0) return;
    last = rows.at(-1)?.[0] ?? null;
    yield rows;
    if (rows.length < pageRows) return;
  }
}
