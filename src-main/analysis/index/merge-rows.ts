import type { IntegerArray, NumberArray } from '../../shared/model/columns.ts';
import { happened } from '../../shared/model/happened.ts';
import { upperBound } from '../../shared/numbers/bisect.ts';
import { type CountedSums, firstSumOf } from './counted-sums.ts';

/** Single events of the operation that was summed. */
export interface SummedRows {
  readonly thread: IntegerArray;
  readonly startNs: Float64Array;
  readonly durationNs?: NumberArray;
  readonly bytes?: NumberArray;
}

/** Figures per thread, by index into threads. */
export interface ThreadSums {
  readonly count: Float64Array;
  readonly totalNs: Float64Array;
  readonly maxNs: Float64Array;
  readonly bytes: Float64Array;
  readonly uncountedBuckets: number;
}

/**
 * Figures per thread. Of each bucket what the recorder counted and the events that it wrote without
 * counting them (happened.ts). Of times and sizes, the sum of both where none of the events was counted;
 * else the higher, which is a lower bound: it is not known which of them the recorder's sum covers. To
 * these come the events outside every bucket.
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
    const bucket = upperBound(sums.startNs, at, first[thread], first[thread + 1]) - 1;
    return bucket >= first[thread] && at < sums.endNs[bucket] ? bucket : -1;
  };
}

function sumByThread(threads: number, sums: CountedSums, stored: Slots): ThreadSums {
  const result = emptySums(threads);
  let uncountedBuckets = 0;
  const add = (thread: number, figures: Record<keyof Slots, number>) => {
    result.count[thread] += figures.count;
    result.totalNs[thread] += figures.totalNs;
    result.maxNs[thread] = Math.max(result.maxNs[thread], figures.maxNs);
    result.bytes[thread] += figures.bytes;
  };
  for (let bucket = 0; bucket < sums.thread.length; bucket++) {
    const thread = sums.thread[bucket];
    if (thread < 0 || thread >= threads) continue;
    const rows = stored.count[bucket];
    const written = sums.stored[bucket] < 0 ? sums.count[bucket] : sums.stored[bucket];
    if (rows > written) uncountedBuckets++;
    const both = (of: keyof Slots) =>
      sums.stored[bucket] === 0
        ? stored[of][bucket] + sums[of][bucket]
        : Math.max(stored[of][bucket], sums[of][bucket]);
    add(thread, {
      count: happened(sums.count[bucket], sums.stored[bucket], rows),
      totalNs: both('totalNs'),
      maxNs: Math.max(stored.maxNs[bucket], sums.maxNs[bucket]),
      bytes: both('bytes'),
    });
  }
  for (let thread = 0; thread < threads; thread++) {
    const slot = sums.thread.length + thread;
    const { count, totalNs, maxNs, bytes } = stored;
    add(thread, {
      count: count[slot],
      totalNs: totalNs[slot],
      maxNs: maxNs[slot],
      bytes: bytes[slot],
    });
  }
  return { ...result, uncountedBuckets };
}
