import type { DatabaseSync } from 'node:sqlite';
import type { NativeRows } from '../../native/row-database.ts';
import { CHUNK_ROWS, type ChunkTask, READ_NATIVELY, selectChunk } from './chunk-task.ts';
import { writeCells } from './number-cells.ts';
import { createRowQuery } from './row-query.ts';

/** A table has more rows than rowids, which only a damaged one can; said as SQLite says it: SQLITE_CORRUPT. */
class RepeatedRowids extends Error {
  readonly errcode = 11;

  constructor() {
    super('rowids repeat');
  }
}

/** Reads chunks of one table: by native code where it is there, else by JavaScript, which gives the same cells. */
export interface ChunkQuery {
  /**
   * Writes the chunk's cells to `cells`, a column each CHUNK_ROWS, and returns how many rows it has. Throws what
   * SQLite throws.
   */
  read(chunk: number, cells: Float64Array): number;
  close(): void;
}

export function openChunkQuery(
  database: DatabaseSync,
  native: NativeRows | undefined,
  task: ChunkTask,
): ChunkQuery {
  const sql = selectChunk(task);
  const columns = task.columns.length;
  // First, so that native code reads nothing that the guard of `database` forbids.
  const inJavaScript = createRowQuery(database, sql);
  const readNatively = native?.query(task.table, sql, columns, CHUNK_ROWS);
  return {
    read(chunk, cells) {
      const below = task.belowFirst + chunk * CHUNK_ROWS;
      const last = below + CHUNK_ROWS;
      const count = readNatively?.read(below, last, cells);
      if (count !== undefined) {
        Atomics.add(task.control, READ_NATIVELY, 1);
        return count;
      }
      // What native code could not read, JavaScript reads, or says why it can't be read.
      const rows = inJavaScript(below, last);
      if (rows.length > CHUNK_ROWS) throw new RepeatedRowids();
      writeCells(rows, { first: 0, columns, cells, stride: CHUNK_ROWS });
      return rows.length;
    },
    close: () => readNatively?.close(),
  };
}
