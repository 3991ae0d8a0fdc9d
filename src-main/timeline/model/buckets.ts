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

interface StretchTotals {
  longest: number;
  count: number;
  busyNs: number;
}

/** What [startNs, endNs) holds as far as the buckets tell, written into `out`: edges lie up to a bucket off. */
export function sumBuckets(
  buckets: Buckets,
  events: BucketEvents,
  startNs: number,
  endNs: number,
  out: StretchTotals,
): void {
  const { bucketNs, longest, started } = buckets;
  const count = longest.length;
  const from = Math.max(0, Math.ceil((startNs - buckets.startNs) / bucketNs));
  const to = Math.min(count, Math.ceil((endNs - buckets.startNs) / bucketNs));
  out.longest = -1;
  out.count = 0;
  // Where the stretch begins inside a bucket, that one tells of what is still open there.
  const before = from - 1;
  const isInside = buckets.startNs + from * bucketNs > startNs;
  const open = isInside && before >= 0 && before < count ? longest[before] : -1;
  if (
    open >= 0 &&
    events.startNs[open] < endNs &&
    events.startNs[open] + events.durationNs[open] > startNs
  ) {
    out.longest = open;
    out.count = 1;
  }
  for (let bucket = from; bucket < to; bucket++) {
    const own = longest[bucket];
    out.count += started[bucket];
    if (own < 0) continue;
    if (out.longest < 0 || events.durationNs[own] > events.durationNs[out.longest])
      out.longest = own;
    if (out.count === 0) out.count = 1;
  }
  out.busyNs = busyBetween(buckets, startNs, endNs);
}

/** Of a bucket that lies in it in part, that part. */
function busyBetween(
  { startNs: beginNs, bucketNs, busyNs }: Buckets,
  fromNs: number,
  toNs: number,
) {
  const from = Math.max(0, (fromNs - beginNs) / bucketNs);
  const to = Math.min(busyNs.length, (toNs - beginNs) / bucketNs);
  let sum = 0;
  for (let bucket = Math.floor(from); bucket < to; bucket++)
    sum += busyNs[bucket] * (Math.min(to, bucket + 1) - Math.max(from, bucket));
  return Math.min(sum, toNs - fromNs);
}
