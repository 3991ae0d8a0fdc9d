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

/** The events that buckets name. */
interface BucketEvents {
  readonly startNs: Float64Array;
  readonly durationNs: Float64Array;
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
  events: BucketEvents,
  startNs: number,
  nsPerPixel: number,
  pixels: number,
  out: StretchTotals,
): void {
  const { startNs: beginNs, bucketNs, longest } = buckets;
  const count = longest.length;
  let fromNs = startNs;
  let at = (startNs - beginNs) / bucketNs;
  for (let pixel = 0; pixel < pixels; pixel++) {
    const toNs = startNs + (pixel + 1) * nsPerPixel;
    const end = (toNs - beginNs) / bucketNs;
    const from = Math.max(0, Math.ceil(at));
    const to = Math.min(count, Math.ceil(end));
    // Where the stretch begins inside a bucket, that one tells of what is still open there.
    const isInside = from > 0 && from <= count && beginNs + from * bucketNs > fromNs;
    const before = isInside ? longest[from - 1] : -1;
    const open = before >= 0 && isBetween(events, before, fromNs, toNs) ? before : -1;
    sumBuckets(buckets, events.durationNs, from, to, open, pixel, out);
    out.busyNs[pixel] = Math.min(
      busyBetween(buckets.busyNs, Math.max(0, at), Math.min(count, end)),
      toNs - fromNs,
    );
    fromNs = toNs;
    at = end;
  }
}

function isBetween(
  { startNs, durationNs }: BucketEvents,
  event: number,
  fromNs: number,
  toNs: number,
): boolean {
  return startNs[event] < toNs && startNs[event] + durationNs[event] > fromNs;
}

/** The longest event of the buckets from `from` to before `to` and of `open`, and how many there are. */
function sumBuckets(
  { longest, started }: Buckets,
  durationNs: Float64Array,
  from: number,
  to: number,
  open: number,
  pixel: number,
  out: StretchTotals,
): void {
  let best = open;
  let events = open < 0 ? 0 : 1;
  for (let bucket = from; bucket < to; bucket++) {
    const own = longest[bucket];
    events += started[bucket];
    if (own < 0) continue;
    if (best < 0 || durationNs[own] > durationNs[best]) best = own;
    if (events === 0) events = 1;
  }
  out.longest[pixel] = best;
  out.counts[pixel] = events;
}

/** Counted in buckets; of one that lies in it in part, that part. */
function busyBetween(busyNs: Float64Array, from: number, to: number): number {
  let sum = 0;
  for (let bucket = Math.floor(from); bucket < to; bucket++)
    sum += busyNs[bucket] * (Math.min(to, bucket + 1) - Math.max(from, bucket));
  return sum;
}
