import type { Trace } from '../../shared/model/trace.ts';
import type { MeasuredClock } from '../../shared/remote/measured-clock.ts';
import { type ClockLine, clockLine } from './clock-line.ts';

/** A trace, and how its machine's clock compared with that of the machine that had both captured. */
export interface TimedTrace {
  readonly trace: Trace;
  readonly clock?: MeasuredClock | undefined;
}

/** What to add to the times of a trace to get those of another clock, evenly from its begin to its end, ns. */
export interface Correction {
  readonly offsetNs: number;
  readonly offsetAtEndNs: number;
  /** Right to ± this, all the time. */
  readonly uncertaintyNs: number;
  /** Both clocks were read before and after. */
  readonly isReadTwice: boolean;
}

/**
 * What to add to the times of `other` to get those of the first one's clock, as both were measured; undefined where one
 * was not. What a clock may have gained or lost since then widens it: the less, the more of it was read off at the end.
 */
export function measuredOffset(first: TimedTrace, other: TimedTrace): Correction | undefined {
  if (first.clock === undefined || other.clock === undefined) return undefined;
  const fromMs = Date.parse(other.clock.measuredAt);
  const ours = clockLine(first.clock, first.trace, fromMs);
  const theirs = clockLine(other.clock, other.trace, fromMs);
  // A date that can't be read tells nothing.
  if (ours === undefined || theirs === undefined) return undefined;
  const [beginNs, endNs] = spanOf(other.trace, theirs, fromMs);
  const offsetAt = (ns: number) => ours.offsetAt(ns) - theirs.offsetAt(ns);
  return whereItTells({
    offsetNs: offsetAt(beginNs),
    offsetAtEndNs: offsetAt(endNs),
    uncertaintyNs: ours.widthOver(beginNs, endNs) + theirs.widthOver(beginNs, endNs),
    isReadTwice: ours.isReadTwice && theirs.isReadTwice,
  });
}

/** When a trace began and ended, by the clock of the machine that asked. */
function spanOf({ meta }: Trace, line: ClockLine, fromMs: number): readonly [number, number] {
  const beginNs = Number(meta.beginUnixNs - BigInt(fromMs) * 1_000_000n);
  return [line.timeOf(beginNs), line.timeOf(beginNs + meta.lengthNs)];
}

/** A drift that is less than what the readings leave open may be none: then all times are moved alike. */
function whereItTells(correction: Correction): Correction {
  const { offsetNs, offsetAtEndNs, uncertaintyNs } = correction;
  const halfNs = (offsetAtEndNs - offsetNs) / 2;
  if (halfNs === 0 || Math.abs(halfNs) * 2 > uncertaintyNs) return correction;
  const middleNs = offsetNs + halfNs;
  return {
    ...correction,
    ...{ offsetNs: middleNs, offsetAtEndNs: middleNs },
    uncertaintyNs: uncertaintyNs + Math.abs(halfNs),
  };
}
