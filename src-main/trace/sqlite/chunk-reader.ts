import { pathToFileURL } from 'node:url';
import { parentPort, workerData } from 'node:worker_threads';
import {
  CHUNK_ROWS,
  type ChunkTask,
  CLAIMED,
  cellsOf,
  countOf,
  NULL_CELL,
  SLOTS,
  STRANGE_CELL,
  selectChunk,
  stateOf,
  USED,
} from './chunk-task.ts';
import { openGuarded } from './guard-database.ts';
import { createRowQuery } from './row-query.ts';

/**
 * A thread that reads chunks of a database beside the one that imports it. The database is hostile, and guarded
 * here as it is there; whether the file was written to meanwhile is looked at by the importing thread.
 */

const url = pathToFileURL(workerData as string);
url.search = '?immutable=1';
const database = openGuarded(url);

function fill(task: ChunkTask, chunk: number, rows: readonly (readonly unknown[])[]): void {
  const { columns, cells } = task;
  for (let column = 0; column < columns.length; column++) {
    const first = cellsOf(chunk, column, columns.length);
    for (let row = 0; row < rows.length; row++) {
      const cell = rows[row][column];
      cells[first + row] =
        typeof cell === 'number' && Number.isFinite(cell)
          ? cell
          : cell === null
            ? NULL_CELL
            : STRANGE_CELL;
    }
  }
}

/** Waits until a chunk is no more than SLOTS ahead of the one that is used. */
function waitForRoom({ control }: ChunkTask, chunk: number): void {
  for (;;) {
    const used = Atomics.load(control, USED);
    if (chunk < used + SLOTS) return;
    Atomics.wait(control, USED, used);
  }
}

function readAhead(task: ChunkTask): void {
  const { control, chunks } = task;
  const query = createRowQuery(database, selectChunk(task));
  for (;;) {
    const chunk = Atomics.add(control, CLAIMED, 1);
    if (chunk >= chunks) return;
    waitForRoom(task, chunk);
    let state = -(chunk + 1);
    try {
      const below = task.belowFirst + chunk * CHUNK_ROWS;
      const rows = query(below, below + CHUNK_ROWS);
      fill(task, chunk, rows);
      control[countOf(chunk)] = rows.length;
      state = chunk + 1;
    } finally {
      // What failed is read again by the importing thread, which says why it can't be read.
      Atomics.store(control, stateOf(chunk), state);
      Atomics.notify(control, stateOf(chunk));
    }
  }
}

parentPort?.on('message', (task: ChunkTask) => {
  try {
    readAhead(task);
  } catch {
    // See above: the importing thread meets the same, or reads on by itself.
  }
});
