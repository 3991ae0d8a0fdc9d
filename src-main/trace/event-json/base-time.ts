/** A time of an event, wherever it stands in a head. */
const TIME = /"ts"\s*:\s*"?(-?\d{1,16})(?=[\s.,"}])/g;
/** Events further away than this are damage, not events: 26 days. */
export const MAX_DISTANCE_NS = 2 ** 51;

/**
 * A time in whole µs that is near those of the file: the middle one of those in its begin. One that is damaged
 * is then none from which the others are told.
 */
export function baseTimeUs(head: Buffer): number {
  const times = [...head.toString('latin1').matchAll(TIME)].map(([, time]) => Number(time));
  times.sort((a, b) => a - b);
  return times[times.length >> 1] ?? 0;
}
