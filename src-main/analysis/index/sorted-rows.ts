import type { IntegerArray, NumberArray } from '../../shared/model/columns.ts';
import {
  atOnce,
  inPieces,
  neverFalls,
  type Pieces,
  ROWS_OF_A_PIECE,
} from '../../shared/numbers/pieces.ts';

/** Times of some rows, ns: read where they stand, not kept. As in an array, undefined where there is none. They are found where they never fall. */
export interface RowTimes {
  readonly length: number;
  /** The time at `index`, counted from 0. */
  nsAt(index: number): number;
  /** The first index whose time is at least `limit`, ns; the length where there is none. */
  lowerBound(limit: number): number;
  /** The first index whose time is above `limit`, ns; the length where there is none. */
  upperBound(limit: number): number;
}

/** The rows of one thread, or of one CPU, in order of start. */
export interface SortedRows {
  readonly rows: Uint32Array;
  readonly startsNs: RowTimes;
  /** The latest end among a row and those before it: never falls, even where spans overlap. */
  readonly latestEndsNs: RowTimes;
}

/** The rows of a table by the thread, process or CPU that a column names, each one's in table order. */
export interface RowsByIndex {
  /** Rows of index i: `order` from `offsets[i]` up to `offsets[i + 1]`. */
  readonly offsets: Uint32Array;
  readonly order: Uint32Array;
}

/** When rows of a table begin, and how long they take, ns: moments take no time. */
export interface TimeColumns {
  readonly startNs: Float64Array;
  readonly durationNs?: NumberArray | undefined;
}

/** So many bytes, seen by all threads where `beside` is: what one of them has sorted the others need not. */
function memoryBeside(beside: ArrayBufferView, bytes: number): ArrayBufferLike {
  const isShared = beside.buffer instanceof SharedArrayBuffer;
  return isShared ? new SharedArrayBuffer(bytes) : new ArrayBuffer(bytes);
}

/** Sorts rows by their index, of which there are `count`; rows without a known one are left out. */
export function rowsByIndex(indices: IntegerArray, count: number): RowsByIndex {
  return atOnce(rowsByIndexInPieces(indices, count));
}

/** As rowsByIndex, in pieces. */
export function* rowsByIndexInPieces(indices: IntegerArray, count: number): Pieces<RowsByIndex> {
  const offsets = new Uint32Array(memoryBeside(indices, 4 * (count + 1)));
  yield* inPieces(indices.length, (from, to) => {
    for (let row = from; row < to; row++) {
      const index = indices[row];
      if (index >= 0 && index < count) offsets[index + 1]++;
    }
  });
  yield;
  for (let index = 0; index < count; index++) offsets[index + 1] += offsets[index];
  const order = new Uint32Array(memoryBeside(indices, 4 * offsets[count]));
  const next = offsets.slice();
  yield* inPieces(indices.length, (from, to) => {
    for (let row = from; row < to; row++) {
      const index = indices[row];
      if (index >= 0 && index < count) order[next[index]++] = row;
    }
  });
  return { offsets, order };
}

/** The rows of `index`, none where it is not known. */
export function rowsOfIndex({ offsets, order }: RowsByIndex, index: number): Uint32Array {
  return order.subarray(offsets[index] ?? 0, offsets[index + 1] ?? 0);
}

/** The rows of `index` with their times, none where it is not known. */
export function sortedRows(
  columns: TimeColumns,
  sorted: RowsByIndex,
  index: number,
  blockEndsNs = latestEndsByBlock(columns, rowsOfIndex(sorted, index)),
): SortedRows {
  const rows = rowsOfIndex(sorted, index);
  return {
    rows,
    startsNs: startsOfRows(columns, rows),
    latestEndsNs:
      blockEndsNs.length === 0
        ? endsOfRows(columns, rows)
        : new LatestEnds(columns, rows, blockEndsNs),
  };
}

/** When `rows` begin, which are in order of that. */
export const startsOfRows = (columns: TimeColumns, rows: Uint32Array): RowTimes =>
  new Starts(columns.startNs, rows);

/** When `rows` end, each no earlier than those before it. */
export const endsOfRows = (columns: TimeColumns, rows: Uint32Array): RowTimes =>
  new Ends(columns, rows);

/** A latest end is kept before each so many rows, and carried on from there: 1 byte a row instead of 8. */
const BLOCK_SHIFT = 3;

/**
 * The latest end of the rows before each block of 8, ns: -Infinity before the first. Empty where no row ends before one that
 * stands earlier, as of most threads: then the latest end is a row's own.
 */
export function latestEndsByBlock(columns: TimeColumns, rows: Uint32Array): Float64Array {
  return atOnce(latestEndsInPieces(columns, rows));
}

/** As latestEndsByBlock, in pieces. */
export function* latestEndsInPieces(columns: TimeColumns, rows: Uint32Array): Pieces<Float64Array> {
  const endInOrder = yield* neverFalls(rows.length, (at) => endOf(columns, rows[at]));
  if (endInOrder) return new Float64Array(memoryBeside(rows, 0));
  const blocks = (rows.length >>> BLOCK_SHIFT) + 1;
  const endsNs = new Float64Array(memoryBeside(rows, 8 * blocks));
  let latestNs = -Infinity;
  const goOver = (first: number, end: number) => {
    for (let block = first; block < end; block++) {
      const from = block << BLOCK_SHIFT;
      endsNs[block] = latestNs;
      latestNs = latestAmong(columns, rows, from, from + (1 << BLOCK_SHIFT), latestNs);
    }
  };
  yield* inPieces(blocks, goOver, ROWS_OF_A_PIECE >>> BLOCK_SHIFT);
  return endsNs;
}

const endOf = ({ startNs, durationNs }: TimeColumns, row: number) =>
  durationNs === undefined ? startNs[row] : startNs[row] + durationNs[row];

/** The later of `latestNs` and the ends of the rows at [from, to), as far as there are any. */
function latestAmong(
  columns: TimeColumns,
  rows: Uint32Array,
  from: number,
  to: number,
  latestNs: number,
): number {
  const end = Math.min(to, rows.length);
  let latest = latestNs;
  for (let at = from; at < end; at++) latest = Math.max(latest, endOf(columns, rows[at]));
  return latest;
}

class Starts implements RowTimes {
  readonly length: number;
  readonly #startNs: Float64Array;
  readonly #rows: Uint32Array;

  constructor(startNs: Float64Array, rows: Uint32Array) {
    this.length = rows.length;
    this.#startNs = startNs;
    this.#rows = rows;
  }

  nsAt(index: number): number {
    return this.#startNs[this.#rows[index]];
  }

  lowerBound(limit: number): number {
    return firstIndex(this.length, (at) => this.#startNs[this.#rows[at]] >= limit);
  }

  upperBound(limit: number): number {
    return firstIndex(this.length, (at) => this.#startNs[this.#rows[at]] > limit);
  }
}

class Ends implements RowTimes {
  readonly length: number;
  readonly #columns: TimeColumns;
  readonly #rows: Uint32Array;

  constructor(columns: TimeColumns, rows: Uint32Array) {
    this.length = rows.length;
    this.#columns = columns;
    this.#rows = rows;
  }

  nsAt(index: number): number {
    if (!(index >= 0 && index < this.length)) return undefined as unknown as number;
    return endOf(this.#columns, this.#rows[index]);
  }

  lowerBound(limit: number): number {
    return firstIndex(this.length, (at) => this.nsAt(at) >= limit);
  }

  upperBound(limit: number): number {
    return firstIndex(this.length, (at) => this.nsAt(at) > limit);
  }
}

class LatestEnds implements RowTimes {
  readonly length: number;
  readonly #columns: TimeColumns;
  readonly #rows: Uint32Array;
  readonly #blockEndsNs: Float64Array;

  constructor(columns: TimeColumns, rows: Uint32Array, blockEndsNs: Float64Array) {
    this.length = rows.length;
    this.#columns = columns;
    this.#rows = rows;
    this.#blockEndsNs = blockEndsNs;
  }

  nsAt(index: number): number {
    if (!(index >= 0 && index < this.length)) return undefined as unknown as number;
    const block = index >>> BLOCK_SHIFT;
    const from = block << BLOCK_SHIFT;
    return latestAmong(this.#columns, this.#rows, from, index + 1, this.#blockEndsNs[block]);
  }

  lowerBound(limit: number): number {
    return this.#firstWhere((endNs) => endNs >= limit);
  }

  upperBound(limit: number): number {
    return this.#firstWhere((endNs) => endNs > limit);
  }

  /** The first row by which an end is late enough. */
  #firstWhere(isLate: (endNs: number) => boolean): number {
    const blocks = this.#blockEndsNs;
    // Before the first block that knows of such an end: it is in the block before that one, or the last.
    const block =
      Math.max(
        1,
        firstIndex(blocks.length, (at) => isLate(blocks[at])),
      ) - 1;
    let index = block << BLOCK_SHIFT;
    let latestNs = blocks[block];
    for (; index < this.length; index++) {
      latestNs = latestAmong(this.#columns, this.#rows, index, index + 1, latestNs);
      if (isLate(latestNs)) break;
    }
    return index;
  }
}

/** The first of so many indices for which `holds`, as it does for all behind it; `count` where it holds for none. */
function firstIndex(count: number, holds: (index: number) => boolean): number {
  let low = 0;
  let high = count;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (holds(middle)) high = middle;
    else low = middle + 1;
  }
  return low;
}
