import { availableParallelism } from 'node:os';
import type { DatabaseSync } from 'node:sqlite';
import { setTimeout as sleep } from 'node:timers/promises';
import { Worker } from 'node:worker_threads';
import { type NativeRows, openNativeRows } from '../../native/row-database.ts';
import { openChunkQuery } from './chunk-query.ts';
import {
  CHUNK_ROWS,
  type ChunkReaderData,
  type ChunkTask,
  CLAIMED,
  cellsOf,
  countOf,
  createTask,
  END,
  READ_NATIVELY,
  stateOf,
  USED,
} from './chunk-task.ts';
import { databaseLimits } from './guard-database.ts';
import { type NumberRows, numberRows } from './number-cells.ts';
import { rowidRange } from './rowid-range.ts';

/**
 * A large table read by several threads, and by native code where it is there: fetching SQLite's cells takes most of
 * the time of opening. The importing thread blocks, as it does when it reads alone, and takes the chunks in their order; one that nobody
 * has claimed yet it reads itself, so that it waits for nobody's start and for nobody who fails.
 */

/** Threads beside the importing one. More than three would wait for it. */
const MOST_THREADS = 3;
/** A table of fewer rows is read before a thread has started. */
export const LARGE_ROWS = 200_000;
/** Once they run, a table of fewer rows is read before it is shared out. */
const SHARED_ROWS = CHUNK_ROWS / 2;
/** Rowids may have gaps up to this share of all: else most chunks would be empty. */
const LEAST_FILLED = 0.5;
/** Chunks that the importing thread reads while it would wait for another one. */
const MOST_AHEAD = 2;
/** The number of a thread that is no more. */
const ENDED = -1;
/** A thread that reads a chunk for so long has died: memory ran out, or somebody ended it. */
const GIVEN_UP_MS = 20_000;

/** A chunk that the importing thread read. */
interface ReadHere {
  readonly rows: NumberRows;
  readonly cells: Float64Array;
}

interface ReadingOptions {
  readonly threads?: number;
  /** A table of fewer rows is read by one thread, in JavaScript. */
  readonly leastRows?: number;
  /** False reads in JavaScript alone. */
  readonly native?: boolean;
}

/** What reads `database` beside the importing thread, and for it; `end` it, whatever happens. */
export class ReadingThreads {
  readonly #database: DatabaseSync;
  readonly #leastRows: number;
  readonly #native: NativeRows | undefined;
  readonly #workers: Worker[];
  #task: ChunkTask | undefined;
  #nativeChunks = 0;
  #areStarted = false;
  /** Of tables that are done: fresh memory costs as much as what is read into it. */
  #sharedCells: Float64Array<SharedArrayBuffer> | undefined;
  readonly #freeCells: Float64Array[] = [];

  constructor(
    database: DatabaseSync,
    { threads, leastRows = LARGE_ROWS, native = true }: ReadingOptions = {},
  ) {
    this.#database = database;
    this.#leastRows = leastRows;
    const path = database.location();
    if (path === null) {
      this.#workers = [];
      return;
    }
    this.#native = native ? openNativeRows(path, databaseLimits) : undefined;
    const data = { path, readsNatively: this.#native !== undefined };
    this.#workers = startWorkers(data, threads ?? usefulThreads());
  }

  /** The rows of `table` in the order of their rowids; undefined where one thread does as well. */
  read(table: string, columns: readonly string[], rows: number): Generator<NumberRows> | undefined {
    const isAlone = this.#workers.length === 0 && this.#native === undefined;
    const leastRows = this.#areStarted ? Math.min(SHARED_ROWS, this.#leastRows) : this.#leastRows;
    if (isAlone || rows < leastRows) return undefined;
    // By their numbers chunks are told.
    const range = rowidRange(this.#database, table);
    if (range === undefined) return undefined;
    const { first, last, length: rowids } = range;
    const areExact = first > Number.MIN_SAFE_INTEGER && last < Number.MAX_SAFE_INTEGER - CHUNK_ROWS;
    if (!areExact || rows / rowids < LEAST_FILLED) return undefined;
    const chunks = Math.ceil(rowids / CHUNK_ROWS);
    this.#areStarted = true;
    const told = { table, columns, belowFirst: Number(first) - 1, chunks };
    const cells = this.#sharedCells;
    this.#sharedCells = undefined;
    return this.#chunks(createTask(told, cells));
  }

  *#chunks(task: ChunkTask): Generator<NumberRows> {
    this.#task = task;
    for (const worker of this.#workers) worker.postMessage(task);
    const { control, chunks, columns } = task;
    const query = openChunkQuery(this.#database, this.#native, task);
    const length = columns.length * CHUNK_ROWS;
    const free = this.#freeCells;
    let inUse: Float64Array | undefined;
    const read = (chunk: number): ReadHere => {
      const known = free.pop();
      const cells =
        known !== undefined && known.length >= length ? known : new Float64Array(length);
      return { rows: numberRows(query.read(chunk, cells), cells, CHUNK_ROWS), cells };
    };
    const use = ({ rows, cells }: ReadHere): NumberRows => {
      inUse = cells;
      return rows;
    };
    const take = (chunk: number) =>
      numberRows(control[countOf(chunk)], cellsOf(task, chunk), CHUNK_ROWS);
    /** Read here while another thread was at the chunk before. */
    const ahead = new Map<number, ReadHere>();
    /** Once a thread was given up: it may still write to the memory of a chunk, whosever that is by then. */
    let isAlone = false;
    const waitFor = (chunk: number): NumberRows => {
      const outcome = isAlone ? 'given-up' : wait(task, chunk);
      if (outcome === 'read') return take(chunk);
      if (outcome === 'given-up') isAlone = true;
      return use(read(chunk));
    };
    try {
      for (let chunk = 0; chunk < chunks; chunk++) {
        const mayRead = () => !isAlone && !ahead.has(chunk) && !isSettled(task, chunk);
        while (mayRead() && ahead.size < MOST_AHEAD) {
          const claimed = Atomics.add(control, CLAIMED, 1);
          if (claimed >= chunks) break;
          ahead.set(claimed, read(claimed));
        }
        const here = ahead.get(chunk);
        yield here === undefined ? waitFor(chunk) : use(here);
        ahead.delete(chunk);
        if (inUse !== undefined) free.push(inUse);
        inUse = undefined;
        Atomics.store(control, USED, chunk + 1);
        Atomics.notify(control, USED);
      }
      // Every chunk was used: nobody writes there any more.
      if (!isAlone) this.#sharedCells = task.cells;
    } finally {
      query.close();
      this.#nativeChunks += control[READ_NATIVELY];
      this.#release();
    }
  }

  /** How many chunks native code has read of the tables that are done. */
  get nativeChunks(): number {
    return this.#nativeChunks;
  }

  /** Nobody claims another chunk, and who waits for room goes on. */
  #release(): void {
    if (this.#task === undefined) return;
    const { control, chunks } = this.#task;
    Atomics.store(control, CLAIMED, chunks);
    Atomics.store(control, USED, chunks);
    Atomics.notify(control, USED);
    this.#task = undefined;
  }

  /** Whatever they are at; resolves when none of them is left. Nothing is read with them afterwards. */
  async end(): Promise<void> {
    this.#native?.close();
    this.#release();
    await Promise.all(this.#workers.map(endWorker));
  }
}

function isSettled({ control }: ChunkTask, chunk: number): boolean {
  return Math.abs(Atomics.load(control, stateOf(chunk))) === chunk + 1;
}

/** What became of `chunk`, which another thread has claimed. */
function wait(task: ChunkTask, chunk: number): 'read' | 'failed' | 'given-up' {
  const place = stateOf(chunk);
  while (!isSettled(task, chunk)) {
    const state = Atomics.load(task.control, place);
    if (Math.abs(state) === chunk + 1) break;
    if (Atomics.wait(task.control, place, state, GIVEN_UP_MS) === 'timed-out') return 'given-up';
  }
  return Atomics.load(task.control, place) > 0 ? 'read' : 'failed';
}

/** It ends by itself, so that it closes the file; one that does not is ended. */
async function endWorker(worker: Worker): Promise<void> {
  if (worker.threadId === ENDED) return;
  const exited = new Promise((resolve) => worker.once('exit', resolve));
  worker.postMessage(END);
  await Promise.race([exited, sleep(GIVEN_UP_MS, undefined, { ref: false })]);
  await worker.terminate();
}

/** None on Windows, which removes no file that somebody has open: a copy would outlive the import. */
function usefulThreads(): number {
  return process.platform === 'win32' ? 0 : Math.min(MOST_THREADS, availableParallelism() - 1);
}

function startWorkers(workerData: ChunkReaderData, threads: number): Worker[] {
  const workers: Worker[] = [];
  try {
    while (workers.length < threads) {
      const worker = new Worker(program(), { execArgv: [], stdin: false, workerData });
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
