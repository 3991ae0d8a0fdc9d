import type { Trace } from '../shared/model/trace.ts';

/** The recorder's sums of one operation, sorted by thread, then time: one entry per bucket. */
export interface CountedSums {
  readonly thread: Int32Array;
  readonly startNs: Float64Array;
  readonly endNs: Float64Array;
  readonly count: Float64Array;
  readonly totalNs: Float64Array;
  readonly maxNs: Float64Array;
  readonly bytes: Float64Array;
}

/** The aggregate rows whose operation (an index into names) `isWanted`. */
export function countedSums(trace: Trace, isWanted: (op: number) => boolean): CountedSums {
  const { columns, rows } = trace.tables.aggregate;
  const order: number[] = [];
  for (let row = 0; row < rows; row++) if (isWanted(columns.op[row])) order.push(row);
  order.sort(
    (a, b) => columns.thread[a] - columns.thread[b] || columns.startNs[a] - columns.startNs[b],
  );
  const known = (values: Float64Array | undefined) =>
    Float64Array.from(order, (row) => Math.max(0, values?.[row] ?? 0));
  return {
    thread: Int32Array.from(order, (row) => columns.thread[row]),
    startNs: Float64Array.from(order, (row) => columns.startNs[row]),
    endNs: Float64Array.from(order, (row) => columns.startNs[row] + columns.durationNs[row]),
    count: known(columns.count),
    totalNs: known(columns.totalNs),
    maxNs: known(columns.maxNs),
    bytes: known(columns.bytes),
  };
}

/** First entry of `thread`, or where it would stand. */
export function firstSumOf(sums: CountedSums, thread: number): number {
  let low = 0;
  let high = sums.thread.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (sums.thread[middle] < thread) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** Single events of the operation that was summed. */
export interface SummedRows {
  readonly thread: Int32Array;
  readonly startNs: Float64Array;
  readonly durationNs?: Float64Array;
  readonly bytes?: Float64Array;
}

/** Figures per thread, by index into threads. */
export interface ThreadSums {
  readonly count: Float64Array;
  readonly totalNs: Float64Array;
  readonly maxNs: Float64Array;
  readonly bytes: Float64Array;
  readonly contradictedBuckets: number;
}

/**
 * Figures per thread: the recorder's sum of each bucket, or the events in it where the file holds
 * more of them than the sum admits, and the events outside every bucket.
 */
export function mergeRows(threads: number, sums: CountedSums, rows: SummedRows): ThreadSums {
  const buckets = sums.thread.length;
  // One slot per bucket, then one per thread for events outside every bucket.
  const stored = emptySums(buckets + threads);
  const bucketOf = bucketFinder(threads, sums);
  for (let row = 0; row < rows.thread.length; row++) {
    const thread = rows.thread[row];
    if (thread < 0 || thread >= threads) continue;
    const durationNs = rows.durationNs?.[row] ?? 0;
    // A recorder counts an interval when it ends.
    const bucket = bucketOf(thread, rows.startNs[row] + durationNs);
    addTo(stored, bucket === -1 ? buckets + thread : bucket, durationNs, rows.bytes?.[row] ?? 0);
  }
  return sumByThread(threads, sums, stored);
}

type Slots = Record<'count' | 'totalNs' | 'maxNs' | 'bytes', Float64Array>;

function emptySums(length: number): Slots {
  const zeros = () => new Float64Array(length);
  return { count: zeros(), totalNs: zeros(), maxNs: zeros(), bytes: zeros() };
}

function addTo(slots: Slots, slot: number, durationNs: number, bytes: number): void {
  slots.count[slot]++;
  slots.totalNs[slot] += durationNs;
  if (durationNs > slots.maxNs[slot]) slots.maxNs[slot] = durationNs;
  if (bytes > 0) slots.bytes[slot] += bytes;
}

/** Finds the bucket of a thread that contains a moment, -1 where none does. */
function bucketFinder(threads: number, sums: CountedSums): (thread: number, at: number) => number {
  const first = Uint32Array.from({ length: threads + 1 }, (_, thread) => firstSumOf(sums, thread));
  return (thread, at) => {
    let low = first[thread];
    let high = first[thread + 1];
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (sums.startNs[middle] <= at) low = middle + 1;
      else high = middle;
    }
    return low > first[thread] && at < sums.endNs[low - 1] ? low - 1 : -1;
  };
}

function sumByThread(threads: number, sums: CountedSums, stored: Slots): ThreadSums {
  const result = emptySums(threads);
  let contradictedBuckets = 0;
  const take = (from: Slots | CountedSums, slot: number, thread: number) => {
    result.count[thread] += from.count[slot];
    result.totalNs[thread] += from.totalNs[slot];
    result.maxNs[thread] = Math.max(result.maxNs[thread], from.maxNs[slot]);
    result.bytes[thread] += from.bytes[slot];
  };
  for (let bucket = 0; bucket < sums.thread.length; bucket++) {
    const thread = sums.thread[bucket];
    if (thread < 0 || thread >= threads) continue;
    const contradicted = stored.count[bucket] > sums.count[bucket];
    if (contradicted) contradictedBuckets++;
    take(contradicted ? stored : sums, bucket, thread);
  }
  for (let thread = 0; thread < threads; thread++)
    take(stored, sums.thread.length + thread, thread);
  return { ...result, contradictedBuckets };
}
