import { pathToFileURL } from 'node:url';
import { parentPort, workerData } from 'node:worker_threads';
import { openNativeRows } from '../../native/row-database.ts';
import { type ChunkQuery, openChunkQuery } from './chunk-query.ts';
import {
  type ChunkReaderData,
  type ChunkTask,
  CLAIMED,
  cellsOf,
  countOf,
  END,
  SLOTS,
  stateOf,
  USED,
} from './chunk-task.ts';
import { databaseLimits, openGuarded } from './guard-database.ts';

/**
 * A thread that reads chunks of a database beside the one that imports it. The database is hostile, and guarded
 * here as it is there; whether the file was written to meanwhile is looked at by the importing thread.
 */

const { path, readsNatively } = workerData as ChunkReaderData;
const url = pathToFileURL(path);
url.search = '?immutable=1';
const database = openGuarded(url);
const native = readsNatively ? openNativeRows(path, databaseLimits) : undefined;

/** Waits until a chunk is no more than SLOTS ahead of the one that is used. */
function waitForRoom({ control }: ChunkTask, chunk: number): void {
  for (;;) {
    const used = Atomics.load(control, USED);
    if (chunk < used + SLOTS) return;
    Atomics.wait(control, USED, used);
  }
}

/** What fails is read again by the importing thread, which says why it can't be read. */
function readChunk(query: ChunkQuery, task: ChunkTask, chunk: number): void {
  const { control } = task;
  let state = -(chunk + 1);
  try {
    control[countOf(chunk)] = query.read(chunk, cellsOf(task, chunk));
    state = chunk + 1;
  } finally {
    Atomics.store(control, stateOf(chunk), state);
    Atomics.notify(control, stateOf(chunk));
  }
}

function readAhead(task: ChunkTask): void {
  const { control, chunks } = task;
  const query = openChunkQuery(database, native, task);
  try {
    for (;;) {
      const chunk = Atomics.add(control, CLAIMED, 1);
      if (chunk >= chunks) return;
      waitForRoom(task, chunk);
      readChunk(query, task, chunk);
    }
  } finally {
    query.close();
  }
}

parentPort?.on('message', (task: ChunkTask | typeof END) => {
  if (task === END) {
    native?.close();
    parentPort?.close();
    return;
  }
  try {
    readAhead(task);
  } catch {
    // See above: the importing thread meets the same, or reads on by itself.
  }
});
