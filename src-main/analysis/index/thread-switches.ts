/** Rows of one thread or CPU, in order of start: of off_cpu unless said. */
export interface ThreadSwitches {
  readonly rows: Uint32Array;
  readonly startsNs: Float64Array;
  /** The latest end among a row and those before it: never falls, even where spans overlap. */
  readonly latestEndsNs: Float64Array;
}

/** Rows of a table by thread, each thread's in table order. */
export interface RowsByThread {
  /** Rows of thread t: `order` from `offsets[t]` up to `offsets[t + 1]`. */
  readonly offsets: Uint32Array;
  readonly order: Uint32Array;
}

/** Sorts rows by thread, of which there are `threadCount`; rows of unknown threads are left out. */
export function rowsByThread(threads: Int32Array, threadCount: number): RowsByThread {
  const offsets = new Uint32Array(threadCount + 1);
  for (let row = 0; row < threads.length; row++) {
    const thread = threads[row];
    if (thread >= 0 && thread < threadCount) offsets[thread + 1]++;
  }
  for (let thread = 0; thread < threadCount; thread++) offsets[thread + 1] += offsets[thread];
  const order = new Uint32Array(offsets[threadCount]);
  const next = offsets.slice();
  for (let row = 0; row < threads.length; row++) {
    const thread = threads[row];
    if (thread >= 0 && thread < threadCount) order[next[thread]++] = row;
  }
  return { offsets, order };
}

/** The rows of `thread` (or whatever they are sorted by), none where it is not known. */
export function threadSwitches(
  columns: { readonly startNs: Float64Array; readonly durationNs?: Float64Array },
  byThread: RowsByThread,
  thread: number,
): ThreadSwitches {
  const { offsets, order } = byThread;
  const rows = order.subarray(offsets[thread] ?? 0, offsets[thread + 1] ?? 0);
  const startsNs = new Float64Array(rows.length);
  const latestEndsNs = new Float64Array(rows.length);
  let latestEndNs = -Infinity;
  for (let at = 0; at < rows.length; at++) {
    const startNs = columns.startNs[rows[at]];
    latestEndNs = Math.max(latestEndNs, startNs + (columns.durationNs?.[rows[at]] ?? 0));
    startsNs[at] = startNs;
    latestEndsNs[at] = latestEndNs;
  }
  return { rows, startsNs, latestEndsNs };
}

/**
 * From when on switches that a gap lost may be missing: a wait is recorded when it ends, so one that
 * ended in the gap began anywhere after the last one before it that is stored.
 */
export function doubtedFromNs(
  { startsNs, latestEndsNs }: ThreadSwitches,
  gapStartNs: number,
): number {
  const ended = firstAbove(latestEndsNs, gapStartNs);
  const isUnderWay = startsNs[ended] <= gapStartNs;
  return isUnderWay || ended === 0 ? gapStartNs : latestEndsNs[ended - 1];
}

/** First index of the ascending `values` whose value is above `limit`, or at it where `orEqual`. */
export function firstAbove(values: Float64Array, limit: number, orEqual = false): number {
  let low = 0;
  let high = values.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (values[middle] > limit || (orEqual && values[middle] === limit)) high = middle;
    else low = middle + 1;
  }
  return low;
}
