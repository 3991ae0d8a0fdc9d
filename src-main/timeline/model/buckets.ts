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
 * bucket off. Each frame does this for each lane on the screen, so places are counted on from one stretch to the next, and nothing
 * is called for a stretch: what is handed to a function as a fraction is an object each time.
 */
export function summarizeBuckets(
  buckets: Buckets,
  times: EventTimes,
  startNs: number,
  nsPerPixel: number,
  pixels: number,
  out: StretchTotals,
): void {
  findLongest(buckets, times, startNs, nsPerPixel, pixels, out);
  addBusy(buckets, startNs, nsPerPixel, pixels, out.busyNs);
}

/** The longest event of each stretch, and how many there are at least. */
function findLongest(
  { startNs: beginNs, bucketNs, longest, started }: Buckets,
  times: EventTimes,
  startNs: number,
  nsPerPixel: number,
  pixels: number,
  { longest: outLongest, counts: outCounts }: StretchTotals,
): void {
  const count = longest.length;
  let from = Math.max(0, Math.ceil((startNs - beginNs) / bucketNs));
  for (let pixel = 0; pixel < pixels; pixel++) {
    // Worked out for each, not handed on from the one before: that would make an object each time.
    const fromNs = startNs + pixel * nsPerPixel;
    const toNs = startNs + (pixel + 1) * nsPerPixel;
    const next = Math.max(0, Math.ceil((toNs - beginNs) / bucketNs));
    const to = Math.min(count, next);
    let best = -1;
    let bestNs = -1;
    let total = 0;
    // Where the stretch begins inside a bucket, that one tells of what is still open there.
    const isInside = from > 0 && from <= count && beginNs + from * bucketNs > fromNs;
    const open = isInside ? longest[from - 1] : -1;
    if (open >= 0 && isBetween(times, open, fromNs, toNs)) {
      best = open;
      bestNs = times.durationNs(open);
      total = 1;
    }
    for (let bucket = from; bucket < to; bucket++) {
      const own = longest[bucket];
      total += started[bucket];
      if (own < 0) continue;
      const ns = times.durationNs(own);
      if (ns > bestNs) {
        best = own;
        bestNs = ns;
      }
      if (total === 0) total = 1;
    }
    outLongest[pixel] = best;
    outCounts[pixel] = total;
    from = next;
  }
}

/** `times`: of the events that buckets name. */
function isBetween(times: EventTimes, event: number, fromNs: number, toNs: number): boolean {
  const startNs = times.startNs(event);
  return startNs < toNs && startNs + times.durationNs(event) > fromNs;
}

/** How much of each stretch is busy: of a bucket that lies in it in part, that part. */
function addBusy(
  { startNs: beginNs, bucketNs, busyNs }: Buckets,
  startNs: number,
  nsPerPixel: number,
  pixels: number,
  out: Float64Array,
): void {
  const count = busyNs.length;
  let from = Math.max(0, (startNs - beginNs) / bucketNs);
  for (let pixel = 0; pixel < pixels; pixel++) {
    const end = (startNs + (pixel + 1) * nsPerPixel - beginNs) / bucketNs;
    const to = Math.min(count, end);
    let sum = 0;
    if (from < to) {
      let bucket = Math.floor(from);
      if (bucket + 1 >= to) sum = busyNs[bucket] * (to - from);
      else {
        sum = busyNs[bucket] * (bucket + 1 - from);
        for (bucket++; bucket + 1 <= to; bucket++) sum += busyNs[bucket];
        if (bucket < to) sum += busyNs[bucket] * (to - bucket);
      }
    }
    out[pixel] = Math.min(sum, nsPerPixel);
    from = Math.max(0, end);
  }
}
