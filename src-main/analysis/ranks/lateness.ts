import type { Rank } from '../../shared/answers/jobs.ts';
import type { Trace } from '../../shared/model/trace.ts';
import type { EvaluationRuns } from '../host/evaluation-runs.ts';
import type { HostTime } from '../host/host-time.ts';
import type { Phases } from '../steps/phases.ts';
import { collectiveStays, type Stays } from './collective-stays.ts';
import { type Meeting, matchCollectives } from './match-collectives.ts';
import { unseenArrival } from './unseen-arrival.ts';

/** A rank with what is known of its time. */
export interface RankTime {
  readonly rank: Rank;
  readonly phases: Phases;
  readonly host: HostTime;
  readonly evaluations: EvaluationRuns;
}

/** A collective of which it is known who came to it last. */
export interface KnownMeeting {
  /** Index into the ranks. */
  readonly last: number;
  /** When it came, at the earliest. */
  readonly lastNs: number;
  /** By rank, from when and until when it was in the collective; NaN = not seen there. */
  readonly fromNs: readonly number[];
  readonly toNs: readonly number[];
}

/** Who comes last to the collectives of ranks that wait for each other. */
export interface Lateness {
  readonly meetings: readonly KnownMeeting[];
  /** When each collective was over in which any rank was seen, whether or not it is known who came last; in order. */
  readonly endsNs: Float64Array;
  /** By rank, how long it waited beside others in a collective, in waits that nothing else shows to be that, ns. */
  readonly unprovenNs: readonly number[];
}

/** Ranks of one host end a collective within so much of each other, even where they wait for a CPU. Our own choice. */
const TOGETHER_NS = 5_000_000;
/** The same for the kernels of one collective. */
const KERNELS_TOGETHER_NS = 500_000;

/** Of two ranks or more whose times are of one clock, or of clocks that are in line to within `clocksNs`. */
export function latenessOf(trace: Trace, ranks: readonly RankTime[], clocksNs: number): Lateness {
  const stays = ranks.map(({ rank, phases }) => collectiveStays(trace, rank, phases));
  const isRecorded = stays.some((each) => each.isRecorded);
  const togetherNs = isRecorded ? KERNELS_TOGETHER_NS : TOGETHER_NS;
  const matched = matchCollectives(stays, togetherNs + clocksNs);
  const unprovenNs = ranks.map(() => 0);
  const meetings = matched.flatMap((meeting) => {
    const seen = seenTimes(meeting, stays);
    // Of what the GPUs recorded nothing is missing: who is not there had no part in it.
    const told = isRecorded
      ? lastOfSeen(seen, clocksNs)
      : lastOfAll(trace, ranks, meeting, seen, unprovenNs);
    return told === undefined ? [] : [told];
  });
  const endsNs = Float64Array.from(matched, ({ earliestEndNs }) => earliestEndNs);
  return { meetings, endsNs, unprovenNs };
}

type Times = Pick<KnownMeeting, 'fromNs' | 'toNs'>;

function seenTimes({ stays }: Meeting, all: readonly Stays[]): Times {
  return {
    fromNs: Array.from(stays, (stay, rank) => (stay < 0 ? NaN : all[rank].startsNs[stay])),
    toNs: Array.from(stays, (stay, rank) => (stay < 0 ? NaN : all[rank].endsNs[stay])),
  };
}

/** Undefined where only one was seen, or two came at one moment as far as their clocks tell. */
function lastOfSeen({ fromNs, toNs }: Times, clocksNs = 0): KnownMeeting | undefined {
  const seen = fromNs.filter((ns) => !Number.isNaN(ns));
  const lastNs = Math.max(...seen);
  const isClear = seen.length > 1 && seen.filter((ns) => ns >= lastNs - clocksNs).length === 1;
  return isClear ? { last: fromNs.indexOf(lastNs), lastNs, fromNs, toNs } : undefined;
}

/** With what shows of those that were not seen: one of them at most may be the last. */
function lastOfAll(
  trace: Trace,
  ranks: readonly RankTime[],
  { latestNs, earliestEndNs }: Meeting,
  seen: Times,
  unprovenNs: number[],
): KnownMeeting | undefined {
  const fromNs = [...seen.fromNs];
  const toNs = [...seen.toNs];
  const missing: { readonly rank: number; readonly ns: number }[] = [];
  ranks.forEach(({ phases, host }, rank) => {
    if (!Number.isNaN(fromNs[rank])) return;
    const told = unseenArrival(trace, phases, host, [latestNs, earliestEndNs], TOGETHER_NS);
    if (told.wait === undefined) missing.push({ rank, ns: told.elsewhereUntilNs });
    else {
      [fromNs[rank], toNs[rank]] = told.wait;
      unprovenNs[rank] += told.wait[1] - told.wait[0];
    }
  });
  const [unseen, another] = missing;
  if (unseen === undefined) return lastOfSeen({ fromNs, toNs });
  const waiting = fromNs.filter((ns) => !Number.isNaN(ns));
  const isLast = another === undefined && unseen.ns > Math.max(...waiting);
  return isLast ? { last: unseen.rank, lastNs: unseen.ns, fromNs, toNs } : undefined;
}

/** A wait of one rank in a collective for the rank that came last. */
export interface AwaitedSpan {
  /** Index into the meetings. */
  readonly meeting: number;
  readonly last: number;
  readonly startNs: number;
  readonly endNs: number;
}

/** The waits of `rank` for whoever came last. */
export function awaitedBy({ meetings }: Lateness, rank: number): AwaitedSpan[] {
  return meetings.flatMap(({ last, lastNs, fromNs, toNs }, meeting) => {
    const startNs = fromNs[rank];
    const endNs = Math.min(toNs[rank], lastNs);
    return last !== rank && endNs > startNs ? [{ meeting, last, startNs, endNs }] : [];
  });
}
