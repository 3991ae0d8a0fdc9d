import type { RawAggregate } from './aggregates.ts';
import { type Bucket, bucketAt, stampNs, sumKey, summedBy } from './bucket-counts.ts';
import type { RawEvents } from './raw-events.ts';

/** Sums of processes whose number several machines have. */
interface SharedSums {
  /** Of one machine each, which it names. */
  readonly own: readonly RawAggregate[];
  /** Of which nobody knows whose they are. */
  readonly unclear: readonly RawAggregate[];
}

/** A sum, and what is stored in its bucket of each machine. */
interface Shared extends Bucket {
  readonly sum: RawAggregate;
  readonly byNode: Map<number, Own>;
}

interface Own {
  rows: number;
  totalNs: number;
  minNs: number;
  maxNs: number;
  arg0: number;
}

/**
 * Splits the sums that may be of several machines: where as many events are stored in a bucket as were
 * counted and written, the sum is of nothing but these, and each machine has those of its own.
 */
export function shareSums(sums: readonly RawAggregate[], events: RawEvents): SharedSums {
  if (sums.length === 0) return { own: [], unclear: [] };
  const byKey = sharedByKey(sums);
  for (let row = 0; row < events.rows; row++) {
    const key = sumKey(events.source[row], events.op[row], summedBy(events, row));
    const bucket = bucketAt(byKey.get(key) ?? [], stampNs(events, row));
    if (bucket !== undefined) add(bucket, events, row);
  }
  const all = [...byKey.values()].flat();
  return {
    own: all.filter(isProven).flatMap(ownSums),
    unclear: all.filter((shared) => !isProven(shared)).map(({ sum }) => sum),
  };
}

function sharedByKey(sums: readonly RawAggregate[]): ReadonlyMap<number, Shared[]> {
  const all = sums
    .map((sum): Shared => {
      const { startNs, lengthNs } = sum;
      return { sum, startNs, endNs: startNs + lengthNs, byNode: new Map() };
    })
    .sort((a, b) => a.startNs - b.startNs);
  return Map.groupBy(all, ({ sum: { source, op, pid } }) => sumKey(source, op, pid));
}

function add({ byNode }: Shared, events: RawEvents, row: number): void {
  const node = events.node[row];
  const none = { rows: 0, totalNs: 0, minNs: Infinity, maxNs: 0, arg0: 0 };
  const own: Own = byNode.get(node) ?? none;
  byNode.set(node, own);
  const durationNs = events.durationNs[row];
  own.rows++;
  own.totalNs += durationNs;
  own.minNs = Math.min(own.minNs, durationNs);
  own.maxNs = Math.max(own.maxNs, durationNs);
  own.arg0 += events.arg0[row];
}

function isProven({ sum, byNode }: Shared): boolean {
  const all = [...byNode.values()];
  const rows = all.reduce((count, own) => count + own.rows, 0);
  const totalNs = all.reduce((total, own) => total + own.totalNs, 0);
  const isWritten = sum.stored < 0 || sum.stored === sum.count;
  // A sum of no time says nothing of times.
  return rows === sum.count && isWritten && (sum.totalNs === 0 || sum.totalNs === totalNs);
}

function ownSums({ sum, byNode }: Shared): RawAggregate[] {
  return [...byNode].map(([node, { rows, totalNs, minNs, maxNs, arg0 }]) => ({
    ...sum,
    ...{ node, count: rows, stored: sum.stored < 0 ? -1 : rows, totalNs },
    ...(sum.minNs >= 0 && { minNs }),
    ...(sum.maxNs >= 0 && { maxNs }),
    ...(sum.sumArg0 > 0 && { sumArg0: arg0 }),
  }));
}
