import type { EventTimes } from './event-times.ts';

/**
 * A stretch of a lane that is known by buckets of equal length: of each its longest event, how many start in it and how
 * much of it is busy. Of the lane's events only the longest ones of buckets, and those as long as a bucket, are there.
 */
export interface Buckets {
  readonly startNs: number;
  readonly bucketNs: number;
  /** Index of the longest event that starts in a bucket or is open at its begin; -1 = none. */
  readonly longest: Int32Array;
  readonly started: Uint32Array;
  readonly busyNs: Float64Array;
}

/** What each of some stretches in a row holds. */
export interface StretchTotals {
  readonly longest: Int32Array;
  readonly counts: Uint32Array;
  readonly busyNs: Float64Array;
}

/**
 * What `pixels` stretches of `nsPerPixel` in a row hold as far as the buckets tell, written into `out`: edges lie up to a
 * bucket off. Each frame does this for each lane on the screen, so places are counted on from one stretch to the next.
 */
export function summarizeBuckets(
  buckets: Buckets,
  times: EventTimes,
  startNs: number,
  nsPerPixel: number,
  pixels: number,
  out: StretchTotals,
): void {
  const { startNs: beginNs, bucketNs, longest, started, busyNs } = buckets;
  const count = longest.length;
  let fromNs = startNs;
  let at = (startNs - beginNs) / bucketNs;
  let from = Math.max(0, Math.ceil(at));
  for (let pixel = 0; pixel < pixels; pixel++) {
    const toNs = startNs + (pixel + 1) * nsPerPixel;
    const end = (toNs - beginNs) / bucketNs;
    const next = Math.max(0, Math.ceil(end));
    const to = Math.min(count, next);
    // Where the stretch begins inside a bucket, that one tells of what is still open there.
    const isInside = from > 0 && from <= count && beginNs + from * bucketNs > fromNs;
    let best = isInside ? longest[from - 1] : -1;
    if (best >= 0 && !isBetween(times, best, fromNs, toNs)) best = -1;
    let total = best < 0 ? 0 : 1;
    for (let bucket = from; bucket < to; bucket++) {
      const own = longest[bucket];
      total += started[bucket];
      if (own < 0) continue;
      if (best < 0 || times.durationNs(own) > times.durationNs(best)) best = own;
      if (total === 0) total = 1;
    }
    out.longest[pixel] = best;
    out.counts[pixel] = total;
    const busy = busyBetween(busyNs, Math.max(0, at), Math.min(count, end));
    out.busyNs[pixel] = Math.min(busy, toNs - fromNs);
    fromNs = toNs;
    at = end;
    from = next;
  }
}

/** `times`: of the events that buckets name. */
function isBetween(times: EventTimes, event: number, fromNs: number, toNs: number): boolean {
  const startNs = times.startNs(event);
  return startNs < toNs && startNs + times.durationNs(event) > fromNs;
}

/** Counted in buckets; of one that lies in it in part, that part. */
function busyBetween(busyNs: Float64Array, from: number, to: number): number {
  if (from >= to) return 0;
  let bucket = Math.floor(from);
  if (bucket + 1 >= to) return busyNs[bucket] * (to - from);
  let sum = busyNs[bucket] * (bucket + 1 - from);
  for (bucket++; bucket + 1 <= to; bucket++) sum += busyNs[bucket];
  return bucket < to ? sum + busyNs[bucket] * (to - bucket) : sum;
}
