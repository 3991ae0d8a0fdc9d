import type { DatabaseSync } from 'node:sqlite';

/** What SQLite hands over for one cell of a hostile file. */
export type Cell = null | number | bigint | string | Uint8Array;

function isOutOfRange(thrown: unknown): boolean {
  return thrown instanceof Error && 'code' in thrown && thrown.code === 'ERR_OUT_OF_RANGE';
}

function withoutBigInts(rows: Cell[][], from: number): Cell[][] {
  for (const row of rows)
    for (let index = from; index < row.length; index++) {
      const cell = row[index];
      if (typeof cell === 'bigint') row[index] = Number(cell);
    }
  return rows;
}

/**
 * A query that gives all its rows at once, as arrays. Integers beyond 2^53 come as the nearest float, which is
 * no safe integer; in the first `exactColumns` they stay what they are. Throws what SQLite throws.
 */
export function createRowQuery(
  database: DatabaseSync,
  sql: string,
  exactColumns = 0,
): (...values: (number | bigint)[]) => Cell[][] {
  const fast = database.prepare(sql);
  fast.setReturnArrays(true);
  const wide = database.prepare(sql);
  wide.setReturnArrays(true);
  wide.setReadBigInts(true);
  return (...values) => {
    try {
      return fast.all(...values) as unknown as Cell[][];
    } catch (thrown) {
      if (!isOutOfRange(thrown)) throw thrown;
      return withoutBigInts(wide.all(...values) as unknown as Cell[][], exactColumns);
    }
  };
}
