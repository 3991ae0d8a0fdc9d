import type { Trace } from '../../shared/model/trace.ts';
import type { MeasuredClock } from '../../shared/remote/measured-clock.ts';

/** A trace, and how its machine's clock compared with that of the machine that had both captured. */
export interface TimedTrace {
  readonly trace: Trace;
  readonly clock?: MeasuredClock | undefined;
}

/** What a clock that nobody sets gains or loses at most, taken for granted: 0.1 ms a second. */
const DRIFT = 1e-4;

/**
 * What to add to the times of `other` to get those of the first one's clock, as both were measured; undefined
 * where one was not. What a clock may have gained or lost since then widens it.
 */
export function measuredOffset(
  first: TimedTrace,
  other: TimedTrace,
): { readonly offsetNs: number; readonly uncertaintyNs: number } | undefined {
  const [ours, theirs] = [first.clock, other.clock];
  if (ours === undefined || theirs === undefined) return undefined;
  const widthNs = widthOf(first.trace, ours) + widthOf(other.trace, theirs);
  // A date that can't be read tells nothing.
  if (!Number.isFinite(widthNs)) return undefined;
  return { offsetNs: ours.offsetNs - theirs.offsetNs, uncertaintyNs: widthNs };
}

function widthOf({ meta }: Trace, { offsetNs, uncertaintyNs, measuredAt }: MeasuredClock): number {
  const sinceNs = Number(meta.beginUnixNs) - offsetNs - Date.parse(measuredAt) * 1e6;
  const furthestNs = Math.max(Math.abs(sinceNs), Math.abs(sinceNs + meta.lengthNs));
  return uncertaintyNs + furthestNs * DRIFT;
}
