import type { Rank } from '../../shared/answers/jobs.ts';
import type { Trace } from '../../shared/model/trace.ts';
import { upperBound } from '../../shared/numbers/bisect.ts';
import { PHASE, type PhaseIntervals, PhaseList } from '../loop/phase-list.ts';
import { stopsOf } from '../threads/stops.ts';

/** Phases in which something goes on while the thread is in a call: of one that is stopped that is not known. */
const GOES_ON: ReadonlySet<number> = new Set([PHASE.compute, PHASE.h2d, PHASE.collective]);

/**
 * `intervals` with the time in which the training thread was stopped as `other`: it can't go on, whatever the call
 * that it is in waits for. A wait for input stays one.
 */
export function withStops(trace: Trace, rank: Rank, intervals: PhaseIntervals): PhaseIntervals {
  const { startsNs, endsNs } = stopsOf(trace, rank.mainThread).spans;
  const count = intervals.startsNs.length;
  if (startsNs.length === 0 || count === 0) return intervals;
  const list = new PhaseList(intervals.startsNs[0], count + startsNs.length);
  for (let at = 0; at < count; at++) {
    const phase = intervals.phases[at];
    const call = intervals.calls[at];
    const endNs = intervals.endsNs[at];
    const first = GOES_ON.has(phase) ? upperBound(endsNs, list.endNs) : startsNs.length;
    for (let stop = first; startsNs[stop] < endNs; stop++) {
      list.until(startsNs[stop], phase, call);
      list.until(Math.min(endNs, endsNs[stop]), PHASE.other);
    }
    list.until(endNs, phase, call);
  }
  return list.intervals();
}
