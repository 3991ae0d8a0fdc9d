import type { TimeSpan } from '../../shared/answers/summary.ts';
import type { Trace } from '../../shared/model/trace.ts';
import { lowerBound } from '../../shared/numbers/bisect.ts';
import type { HostTime } from '../host/host-time.ts';
import { KIND } from '../host/stack-kinds.ts';
import { PHASE } from '../loop/phase-list.ts';
import type { Phases } from '../steps/phases.ts';
import { stateCode, stateWhileAsleep } from '../threads/visit-states.ts';

/** What a rank did when others were in a collective in which it was not seen itself. */
export interface UnseenArrival {
  /** A wait of its own that ended with theirs, and of which nothing else is known. */
  readonly wait?: readonly [startNs: number, endNs: number];
  /** Up to then it is shown to have done something else; -Infinity = nothing shows. */
  readonly elsewhereUntilNs: number;
}

/** Kinds of waits that may as well be one for other ranks. */
const UNPROVEN: ReadonlySet<number> = new Set([
  KIND.none,
  KIND.helper,
  KIND.producer,
  KIND['thread-lock'],
  KIND['shared-lock'],
  KIND['slow-server'],
]);

/**
 * Of the rank with these `phases`, in a collective of others to which the last of them came at `sinceNs`, and that ended
 * at `endNs`, or up to `togetherNs` beside it.
 */
export function unseenArrival(
  trace: Trace,
  phases: Phases,
  { evidence }: Pick<HostTime, 'evidence'>,
  [sinceNs, endNs]: TimeSpan,
  togetherNs: number,
): UnseenArrival {
  const { startsNs, endsNs, kind, isSample, row } = evidence;
  let elsewhereUntilNs = lastCallNs(phases, sinceNs, endNs);
  // A thread does one thing after the other: what began before the first that began before `sinceNs` ended before.
  for (let at = lastBefore(evidence, endNs), isWithin = true; at >= 0 && isWithin; at--) {
    isWithin = startsNs[at] >= sinceNs;
    const isUnproven = isSample[at] === 0 && UNPROVEN.has(kind[at]);
    const isTogether = Math.abs(endsNs[at] - endNs) <= togetherNs;
    if (isUnproven && isTogether && isAsleep(trace, row[at]))
      return { wait: [startsNs[at], endsNs[at]], elsewhereUntilNs };
    if (!isUnproven) elsewhereUntilNs = Math.max(elsewhereUntilNs, Math.min(endNs, endsNs[at]));
  }
  return { elsewhereUntilNs };
}

function lastBefore({ startsNs, length }: HostTime['evidence'], ns: number): number {
  return lowerBound(startsNs.subarray(0, length), ns) - 1;
}

function isAsleep(trace: Trace, row: number): boolean {
  return stateWhileAsleep(trace, row) === stateCode.sleeping;
}

/** When the last CUDA call, or wait for input, in [sinceNs, untilNs) ended, at most then. */
function lastCallNs(
  { startsNs, endsNs, phases }: Phases,
  sinceNs: number,
  untilNs: number,
): number {
  for (let at = lowerBound(startsNs, untilNs) - 1; endsNs[at] > sinceNs; at--)
    if (phases[at] !== PHASE.other && phases[at] !== PHASE.collective)
      return Math.min(untilNs, endsNs[at]);
  return -Infinity;
}
