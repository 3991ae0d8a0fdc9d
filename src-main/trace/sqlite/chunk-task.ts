/**
 * A table that two and more threads read together, a chunk of rowids each time: what they tell each other, in
 * shared memory. Chunks are claimed in ascending order by whoever is free, and used in that order by the
 * importing thread.
 */
export interface ChunkTask {
  readonly table: string;
  readonly columns: readonly string[];
  /** Chunk n has the rowids above this plus n times the length of a chunk. */
  readonly belowFirst: number;
  readonly chunks: number;
  readonly control: Int32Array<SharedArrayBuffer>;
  /** By slot, then column, then row. */
  readonly cells: Float64Array<SharedArrayBuffer>;
}

/** What a thread that reads chunks is started with. */
export interface ChunkReaderData {
  readonly path: string;
  readonly readsNatively: boolean;
}

/** In place of a task: there are no more, the thread ends. */
export const END = 'end';

/** Rowids of a chunk. */
export const CHUNK_ROWS = 20_000;
/** Chunks that may be read ahead. */
export const SLOTS = 6;

/** Places in `control`: the next chunk that nobody has claimed, the one that is used next, and how many native code read. */
export const CLAIMED = 0;
export const USED = 1;
export const READ_NATIVELY = 2;
/** From here on for each slot: the number of its chunk and 1 once it is read; negative where that failed. */
const STATES = 3;
/** From here on for each slot: how many rows it has. */
const COUNTS = STATES + SLOTS;

export const stateOf = (chunk: number): number => STATES + (chunk % SLOTS);
export const countOf = (chunk: number): number => COUNTS + (chunk % SLOTS);
/** The cells of a chunk. */
export function cellsOf({ cells, columns }: ChunkTask, chunk: number): Float64Array {
  const length = columns.length * CHUNK_ROWS;
  const first = (chunk % SLOTS) * length;
  return cells.subarray(first, first + length);
}

/** `cells`: of a task that is done, which serve this one where they are enough. */
export function createTask(
  told: Pick<ChunkTask, 'table' | 'columns' | 'belowFirst' | 'chunks'>,
  cells?: ChunkTask['cells'],
): ChunkTask {
  const length = SLOTS * told.columns.length * CHUNK_ROWS;
  const control = new Int32Array(new SharedArrayBuffer(4 * (COUNTS + SLOTS)));
  if (cells !== undefined && cells.length >= length) return { ...told, control, cells };
  const bytes = length * Float64Array.BYTES_PER_ELEMENT;
  return { ...told, control, cells: new Float64Array(new SharedArrayBuffer(bytes)) };
}

/** SQL of one chunk: bind what lies below it, and its last rowid. */
export function selectChunk({ table, columns }: Pick<ChunkTask, 'table' | 'columns'>): string {
  return `SELECT ${columns.join(', ')} FROM ${table} WHERE rowid > ? AND rowid <= ? ORDER BY rowid`;
}
