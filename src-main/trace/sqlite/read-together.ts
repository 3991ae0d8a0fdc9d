import { availableParallelism } from 'node:os';
import type { DatabaseSync } from 'node:sqlite';
import { Worker } from 'node:worker_threads';
import {
  CHUNK_ROWS,
  type ChunkTask,
  CLAIMED,
  cellsOf,
  countOf,
  createTask,
  NULL_CELL,
  selectChunk,
  stateOf,
  USED,
} from './chunk-task.ts';
import { type Cell, createRowQuery } from './row-query.ts';

/**
 * A large table read by several threads: making rows of SQLite's cells takes most of the time of opening. The
 * importing thread blocks, as it does when it reads alone, and takes the chunks in their order; one that nobody
 * has claimed yet it reads itself, so that it waits for nobody's start and for nobody who fails.
 */

/** Some rows of a table, in their order. */
export interface Rows {
  readonly count: number;
  /** What stands in a column of the query. */
  cell(row: number, column: number): Cell;
}

/** Threads beside the importing one. More than three would wait for it. */
const MOST_THREADS = 3;
/** A table of fewer rows is read before a thread has started. */
export const LARGE_ROWS = 200_000;
/** Rowids may have gaps up to this share of all: else most chunks would be empty. */
const LEAST_FILLED = 0.5;
/** Chunks that the importing thread reads while it would wait for another one. */
const MOST_AHEAD = 2;
/** A thread that reads a chunk for so long has died: memory ran out, or somebody ended it. */
const GIVEN_UP_MS = 20_000;

interface ThreadOptions {
  readonly threads?: number;
  /** A table of fewer rows is read by one thread. */
  readonly leastRows?: number;
}

/** The threads that read `database` beside the importing one; `end` them, whatever happens. */
export class ReadingThreads {
  readonly #database: DatabaseSync;
  readonly #leastRows: number;
  readonly #workers: Worker[];
  #task: ChunkTask | undefined;

  constructor(database: DatabaseSync, { threads, leastRows = LARGE_ROWS }: ThreadOptions = {}) {
    this.#database = database;
    this.#leastRows = leastRows;
    this.#workers = startWorkers(database.location(), threads ?? usefulThreads());
  }

  /** The rows of `table` in the order of their rowids; undefined where one thread does as well. */
  read(table: string, columns: readonly string[], rows: number): Generator<Rows> | undefined {
    if (this.#workers.length === 0 || rows < this.#leastRows) return undefined;
    const range = this.#database.prepare(
      `SELECT min(rowid) AS first, max(rowid) AS last FROM ${table}`,
    );
    range.setReadBigInts(true);
    const { first, last } = range.get() as { first: bigint; last: bigint };
    const rowids = Number(last - first) + 1;
    const areExact = first > Number.MIN_SAFE_INTEGER && last < Number.MAX_SAFE_INTEGER - CHUNK_ROWS;
    if (!areExact || rows / rowids < LEAST_FILLED) return undefined;
    const chunks = Math.ceil(rowids / CHUNK_ROWS);
    return this.#chunks(createTask({ table, columns, belowFirst: Number(first) - 1, chunks }));
  }

  *#chunks(task: ChunkTask): Generator<Rows> {
    this.#task = task;
    for (const worker of this.#workers) worker.postMessage(task);
    const { control, chunks, belowFirst } = task;
    const query = createRowQuery(this.#database, selectChunk(task));
    const read = (chunk: number) => {
      const below = belowFirst + chunk * CHUNK_ROWS;
      return new OwnRows(query(below, below + CHUNK_ROWS));
    };
    /** Read here while another thread was at the chunk before. */
    const ahead = new Map<number, Rows>();
    for (let chunk = 0; chunk < chunks; chunk++) {
      while (!ahead.has(chunk) && !isSettled(task, chunk) && ahead.size < MOST_AHEAD) {
        const claimed = Atomics.add(control, CLAIMED, 1);
        if (claimed >= chunks) break;
        ahead.set(claimed, read(claimed));
      }
      yield ahead.get(chunk) ?? (wait(task, chunk) ? new SharedRows(task, chunk) : read(chunk));
      ahead.delete(chunk);
      Atomics.store(control, USED, chunk + 1);
      Atomics.notify(control, USED);
    }
    this.#task = undefined;
  }

  /** Whatever they are at; resolves when none of them is left. Nothing is read with them afterwards. */
  async end(): Promise<void> {
    if (this.#task !== undefined) {
      // Nobody claims another chunk, and who waits for room goes on.
      Atomics.store(this.#task.control, CLAIMED, this.#task.chunks);
      Atomics.store(this.#task.control, USED, this.#task.chunks);
      Atomics.notify(this.#task.control, USED);
    }
    await Promise.all(this.#workers.map((worker) => worker.terminate()));
  }
}

function isSettled({ control }: ChunkTask, chunk: number): boolean {
  return Math.abs(Atomics.load(control, stateOf(chunk))) === chunk + 1;
}

/** Whether another thread has read `chunk`, which it has claimed; else it could not. */
function wait(task: ChunkTask, chunk: number): boolean {
  const place = stateOf(chunk);
  while (!isSettled(task, chunk)) {
    const state = Atomics.load(task.control, place);
    if (Math.abs(state) === chunk + 1) break;
    if (Atomics.wait(task.control, place, state, GIVEN_UP_MS) === 'timed-out') return false;
  }
  return Atomics.load(task.control, place) > 0;
}

/** None on Windows, which removes no file that somebody has open: a copy would outlive the import. */
function usefulThreads(): number {
  return process.platform === 'win32' ? 0 : Math.min(MOST_THREADS, availableParallelism() - 1);
}

function startWorkers(path: string | null, threads: number): Worker[] {
  const workers: Worker[] = [];
  try {
    while (path !== null && workers.length < threads) {
      const worker = new Worker(program(), { execArgv: [], stdin: false, workerData: path });
      // The importing thread hears nothing while it imports, and needs to hear nothing: see `wait`.
      worker.on('error', () => undefined);
      worker.unref();
      workers.push(worker);
    }
  } catch {
    // No memory for another thread: the importing one reads what is left.
  }
  return workers;
}

/** Beside this file, or beside the entries where it was built. */
function program(): URL {
  const extension = import.meta.url.endsWith('.ts') ? 'ts' : 'js';
  return new URL(`./chunk-reader.${extension}`, import.meta.url);
}

class OwnRows implements Rows {
  readonly #rows: readonly Cell[][];

  constructor(rows: readonly Cell[][]) {
    this.#rows = rows;
  }

  get count(): number {
    return this.#rows.length;
  }

  cell(row: number, column: number): Cell {
    return this.#rows[row][column];
  }
}

/** Rows that another thread has read: good until the next ones are asked for. */
class SharedRows implements Rows {
  readonly count: number;
  readonly #cells: Float64Array;
  readonly #first: number;

  constructor({ control, cells, columns }: ChunkTask, chunk: number) {
    this.count = control[countOf(chunk)];
    this.#cells = cells;
    this.#first = cellsOf(chunk, 0, columns.length);
  }

  /** A cell that is neither a number nor NULL comes as an empty text: no column of events takes one. */
  cell(row: number, column: number): Cell {
    const cell = this.#cells[this.#first + column * CHUNK_ROWS + row];
    if (cell === NULL_CELL) return null;
    return Number.isNaN(cell) ? '' : cell;
  }
}
