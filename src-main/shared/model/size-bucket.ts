/**
 * Size buckets of copies and allocations: a 40-byte copy is not compared with 400 MiB. Upper
 * limits a factor of 16 apart, inclusive; 64 KiB is the size below which copies are not judged.
 */
export const sizeBucketLimits = [
  4 * 2 ** 10,
  64 * 2 ** 10,
  2 ** 20,
  16 * 2 ** 20,
  256 * 2 ** 20,
] as const;

export const sizeBucketNames = [
  '≤ 4 KiB',
  '≤ 64 KiB',
  '≤ 1 MiB',
  '≤ 16 MiB',
  '≤ 256 MiB',
  '> 256 MiB',
] as const;

/** The bucket of a size in bytes, -1 where the size is not known (negative). */
export function sizeBucket(bytes: number): number {
  if (bytes < 0) return -1;
  let bucket = 0;
  // Asked for every row: a function for each limit takes longer than the rest.
  while (bucket < sizeBucketLimits.length && bytes > sizeBucketLimits[bucket]) bucket++;
  return bucket;
}
