import { upperBoundBy } from '../../../shared/numbers/bisect.ts';
import type { RawAggregate } from './aggregates.ts';
import { HOST_OP, isStampedAtEnd, SOURCE } from './op-codes.ts';
import type { RawEvents } from './raw-events.ts';

/** One of Ingero's buckets of one operation of one process or thread. */
export interface Bucket {
  readonly startNs: number;
  readonly endNs: number;
}

interface Counted extends Bucket {
  /** Counted by Ingero, less the stored ones. */
  missing: number;
}

type Wanted = (source: number, op: number) => boolean;

/** Source and operation are bytes, process and thread numbers 31 bits: one exact number. */
export function sumKey(source: number, op: number, id: number): number {
  return (source * 256 + op) * 2 ** 31 + id;
}

/** The number under which Ingero sums an event: switches by thread, everything else by process. */
export function summedBy(events: RawEvents, row: number): number {
  const perThread = events.source[row] === SOURCE.host && events.op[row] === HOST_OP.schedSwitch;
  return (perThread ? events.tid[row] : events.pid[row]) as number;
}

/**
 * Whether in every bucket, of every operation that `isWanted`, process and thread by itself, as many
 * events are stored as Ingero counted, and none outside. Equal totals alone prove nothing: what is
 * missing in one place may be too much in another.
 */
export function allBucketsEqual(
  events: RawEvents,
  aggregates: readonly RawAggregate[],
  isWanted: Wanted,
): boolean {
  const byKey = bucketsByKey(aggregates, isWanted);
  for (let row = 0; row < events.rows; row++) {
    const source = events.source[row] as number;
    const op = events.op[row] as number;
    if (!isWanted(source, op)) continue;
    const id = summedBy(events, row);
    const bucket = bucketAt(byKey.get(sumKey(source, op, id)) ?? [], stampNs(events, row));
    if (bucket === undefined) return false;
    bucket.missing--;
  }
  return [...byKey.values()].every((buckets) => buckets.every(({ missing }) => missing === 0));
}

/** When Ingero puts an event into a bucket. */
export function stampNs(events: RawEvents, row: number): number {
  const isAtEnd = isStampedAtEnd(events.source[row] as number);
  return (events.startNs[row] as number) + (isAtEnd ? (events.durationNs[row] as number) : 0);
}

function bucketsByKey(
  aggregates: readonly RawAggregate[],
  isWanted: Wanted,
): ReadonlyMap<number, Counted[]> {
  const byKey = new Map<number, Counted[]>();
  for (const { source, op, pid, startNs, lengthNs, count } of aggregates) {
    if (!isWanted(source, op)) continue;
    const bucket = { startNs, endNs: startNs + lengthNs, missing: count };
    const buckets = byKey.get(sumKey(source, op, pid));
    if (buckets === undefined) byKey.set(sumKey(source, op, pid), [bucket]);
    else buckets.push(bucket);
  }
  for (const buckets of byKey.values()) buckets.sort((a, b) => a.startNs - b.startNs);
  return byKey;
}

/** The bucket, of those sorted by begin, that a moment is in. */
export function bucketAt<B extends Bucket>(buckets: readonly B[], at: number): B | undefined {
  const bucket = buckets[upperBoundBy(buckets, at, ({ startNs }) => startNs) - 1];
  return bucket !== undefined && at < bucket.endNs ? bucket : undefined;
}
