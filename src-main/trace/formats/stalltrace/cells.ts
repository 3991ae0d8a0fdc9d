import type { DatabaseSync } from 'node:sqlite';
import { cleanText, MAX_NAME_LENGTH } from '../../../shared/text/text.ts';
import { type Cell, createRowQuery } from '../../sqlite/row-query.ts';

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

/** A cell as text fit to be shown, or `undefined` where it is none. */
export function textCell(cell: Cell | undefined, maxLength = MAX_NAME_LENGTH): string | undefined {
  return typeof cell === 'string' ? cleanText(cell, maxLength) : undefined;
}

/** A cell as an integer ≥ 0, exact in a 64-bit float, or `undefined` where it is none. */
export function countCell(cell: Cell | undefined): number | undefined {
  return typeof cell === 'number' && Number.isSafeInteger(cell) && cell >= 0 ? cell : undefined;
}

/** A cell as any finite number, or `undefined` where it is none. */
export function numberCell(cell: Cell | undefined): number | undefined {
  return typeof cell === 'number' && Number.isFinite(cell) ? cell : undefined;
}
