/** A stretch of time, ns from the trace's begin. */
interface Range {
  readonly startNs: number;
  readonly endNs: number;
}

/**
 * The ns of an event inside [startNs, endNs), -1 where it is not in it: the one rule of the panel, the
 * flame graph and the report. An event of no length is in the range in which it starts. The parts of an
 * event in the two halves of a range add up to its part in the whole.
 */
export function nsInRange(eventStartNs: number, durationNs: number, range: Range): number {
  if (eventStartNs >= range.endNs) return -1;
  const eventEndNs = eventStartNs + durationNs;
  if (eventEndNs > range.startNs)
    return Math.min(eventEndNs, range.endNs) - Math.max(eventStartNs, range.startNs);
  return eventStartNs >= range.startNs ? 0 : -1;
}
