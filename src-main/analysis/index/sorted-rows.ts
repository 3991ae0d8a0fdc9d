/** The rows of one thread, or of one CPU, in order of start. */
export interface SortedRows {
  readonly rows: Uint32Array;
  readonly startsNs: Float64Array;
  /** The latest end among a row and those before it: never falls, even where spans overlap. */
  readonly latestEndsNs: Float64Array;
}

/** The rows of a table by the thread, process or CPU that a column names, each one's in table order. */
export interface RowsByIndex {
  /** Rows of index i: `order` from `offsets[i]` up to `offsets[i + 1]`. */
  readonly offsets: Uint32Array;
  readonly order: Uint32Array;
}

/** So many bytes, seen by all threads where `beside` is: what one of them has sorted the others need not. */
function memoryBeside(beside: ArrayBufferView, bytes: number): ArrayBufferLike {
  const isShared = beside.buffer instanceof SharedArrayBuffer;
  return isShared ? new SharedArrayBuffer(bytes) : new ArrayBuffer(bytes);
}

/** Sorts rows by their index, of which there are `count`; rows without a known one are left out. */
export function rowsByIndex(indices: Int32Array, count: number): RowsByIndex {
  const offsets = new Uint32Array(memoryBeside(indices, 4 * (count + 1)));
  for (let row = 0; row < indices.length; row++) {
    const index = indices[row];
    if (index >= 0 && index < count) offsets[index + 1]++;
  }
  for (let index = 0; index < count; index++) offsets[index + 1] += offsets[index];
  const order = new Uint32Array(memoryBeside(indices, 4 * offsets[count]));
  const next = offsets.slice();
  for (let row = 0; row < indices.length; row++) {
    const index = indices[row];
    if (index >= 0 && index < count) order[next[index]++] = row;
  }
  return { offsets, order };
}

/** The rows of `index`, none where it is not known. */
export function rowsOfIndex({ offsets, order }: RowsByIndex, index: number): Uint32Array {
  return order.subarray(offsets[index] ?? 0, offsets[index + 1] ?? 0);
}

/** The rows of `index` with their times, none where it is not known. */
export function sortedRows(
  columns: { readonly startNs: Float64Array; readonly durationNs?: Float64Array },
  { offsets, order }: RowsByIndex,
  index: number,
): SortedRows {
  const rows = rowsOfIndex({ offsets, order }, index);
  const startsNs = new Float64Array(memoryBeside(order, 8 * rows.length));
  const latestEndsNs = new Float64Array(memoryBeside(order, 8 * rows.length));
  let latestEndNs = -Infinity;
  for (let at = 0; at < rows.length; at++) {
    const startNs = columns.startNs[rows[at]];
    latestEndNs = Math.max(latestEndNs, startNs + (columns.durationNs?.[rows[at]] ?? 0));
    startsNs[at] = startNs;
    latestEndsNs[at] = latestEndNs;
  }
  return { rows, startsNs, latestEndsNs };
}
