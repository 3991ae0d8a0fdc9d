import type { Trace } from '../../../shared/model/trace.ts';
import { nsWithin } from '../../gpu/device-spans.ts';
import { emptySpans, SpanList, type Spans } from '../../index/spans.ts';
import { PHASE } from '../../loop/phase-list.ts';
import {
  type AwaitedSpan,
  awaitedBy,
  type Lateness,
  latenessOf,
  type RankTime,
} from '../../ranks/lateness.ts';
import { phaseSpans } from '../../steps/phase-spans.ts';
import type { CollectiveFacts, LateRank, LateReason } from './facts.ts';
import { whyLate } from './why-late.ts';

/** What the collectives of its job show of one rank. */
export interface RankLateness {
  /** Where it waited in a collective for the leader of `collectives`. */
  readonly awaited: Spans;
  readonly unprovenNs: number;
  readonly collectives?: CollectiveFacts;
}

/**
 * So much of all waiting, and so many of the collectives with most of it, have to be for one rank to name it: of two
 * ranks that come last by chance neither is. Our own choice.
 */
const LEADING_SHARE = 0.75;
/** The collectives with most of it are those that make up so much of all. */
const MOST_SHARE = 0.9;

/** Of ranks of one job, in their order, whose clocks are in line to within `clocksNs`: on one host they have one. */
export function jobLateness(
  trace: Trace,
  ranks: readonly RankTime[],
  clocksNs: number,
): RankLateness[] {
  if (ranks.length < 2) return ranks.map(() => ({ awaited: emptySpans, unprovenNs: 0 }));
  const lateness = latenessOf(trace, ranks, clocksNs);
  const waits = ranks.map((time, rank) => shownWaits(time, awaitedBy(lateness, rank)));
  const most = mostWaited(waits.flat());
  const reasons = ranks.map((_, rank) => reasonOnce(trace, ranks, lateness, rank));
  return ranks.map((_, rank) => {
    const unprovenNs = lateness.unprovenNs[rank];
    if (lateness.meetings.length === 0) return { awaited: emptySpans, unprovenNs };
    const collectives = factsOf(ranks, { lateness, waits, most, reasons }, rank);
    const late = collectives.leader && collectives.ranks.indexOf(collectives.leader.rank);
    return { awaited: spansFor(waits[rank], late), unprovenNs, collectives };
  });
}

interface Wait extends AwaitedSpan {
  /** Of it, in the phase of collectives. */
  readonly ns: number;
}

/** Those of which some lies in the loop's time in collectives. */
function shownWaits({ phases }: RankTime, waits: readonly AwaitedSpan[]): Wait[] {
  const collective = phaseSpans(phases, PHASE.collective);
  return waits
    .map((wait) => ({ ...wait, ns: nsWithin(collective, wait.startNs, wait.endNs) }))
    .filter(({ ns }) => ns > 0);
}

interface JobWaits {
  readonly lateness: Lateness;
  /** By rank. */
  readonly waits: readonly (readonly Wait[])[];
  readonly most: ReturnType<typeof mostWaited>;
  readonly reasons: readonly (() => LateReason | undefined)[];
}

function factsOf(
  ranks: readonly RankTime[],
  { lateness: { meetings }, waits, most, reasons }: JobWaits,
  self: number,
): CollectiveFacts {
  const told = ranks.map(
    ({ rank }, at): LateRank => ({
      label: rank.label,
      isSelf: at === self,
      last: meetings.filter(({ last }) => last === at).length,
      costNs: costFor(waits[self], at),
      allCostNs: waits.reduce((sum, own) => sum + costFor(own, at), 0),
      why: reasons[at],
    }),
  );
  const leader = leaderOf(told, most);
  const known = { known: meetings.length, most: most.length, ranks: told };
  return leader === undefined ? known : { ...known, leader };
}

function costFor(waits: readonly Wait[], rank: number): number {
  return waits.reduce((sum, { last, ns }) => (last === rank ? sum + ns : sum), 0);
}

/** The collectives in which all ranks together waited most, with the rank that came last. */
function mostWaited(waits: readonly Wait[]): readonly { readonly last: number }[] {
  const byMeeting = [...Map.groupBy(waits, ({ meeting }) => meeting).values()].map((own) => ({
    last: own[0].last,
    ns: own.reduce((sum, { ns }) => sum + ns, 0),
  }));
  let missingNs = MOST_SHARE * byMeeting.reduce((sum, { ns }) => sum + ns, 0);
  return byMeeting
    .sort((a, b) => b.ns - a.ns)
    .filter(({ ns }) => {
      const isNeeded = missingNs > 0;
      missingNs -= ns;
      return isNeeded;
    });
}

function leaderOf(
  ranks: readonly LateRank[],
  most: ReturnType<typeof mostWaited>,
): CollectiveFacts['leader'] {
  const allNs = ranks.reduce((sum, { allCostNs }) => sum + allCostNs, 0);
  const late = ranks.toSorted((a, b) => b.allCostNs - a.allCostNs).at(0);
  if (late === undefined || !(late.allCostNs > 0)) return undefined;
  const times = most.filter(({ last }) => ranks[last] === late).length;
  const isClear = late.allCostNs >= allNs * LEADING_SHARE && times >= most.length * LEADING_SHARE;
  return isClear ? { rank: late, times } : undefined;
}

function spansFor(waits: readonly Wait[], late: number | undefined): Spans {
  const list = new SpanList([-Infinity, Infinity]);
  const own = waits.filter(({ last }) => last === late).sort((a, b) => a.startNs - b.startNs);
  for (const { startNs, endNs } of own) list.add(startNs, endNs);
  return list.spans();
}

function reasonOnce(
  trace: Trace,
  ranks: readonly RankTime[],
  lateness: Lateness,
  rank: number,
): () => LateReason | undefined {
  let answer: { readonly reason: LateReason | undefined } | undefined;
  return () => {
    const own = lateness.meetings.filter(({ last }) => last === rank);
    answer ??= { reason: whyLate(trace, ranks, lateness, rank, own) };
    return answer.reason;
  };
}
