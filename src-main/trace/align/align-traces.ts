import type { Trace } from '../../shared/model/trace.ts';
import { median } from '../../shared/numbers/percentile.ts';
import type { MeasuredClock } from '../../shared/remote/measured-clock.ts';
import { densestShift } from './densest-shift.ts';
import { type Correction, measuredOffset } from './measured-offset.ts';
import { type SharedMoments, sharedMoments } from './shared-moments.ts';

/** How the clock of a trace was brought in line with that of the first one. */
export interface Alignment {
  /** What to add to its times, ns. */
  readonly offsetNs: number;
  /** What to add at its end, ns: evenly more or less until then; absent = the same all the time. */
  readonly offsetAtEndNs?: number;
  /** Right to ± this, ns; absent where nothing tells. */
  readonly uncertaintyNs?: number;
  /**
   * `first`: it is the first. `clock`: both were read off one clock of one machine. `collectives`: what all ranks end
   * together. `steps`: the ends of steps of the same number, which ranks need not end together. `measured`: both clocks
   * were compared with that of the machine that had them captured. `none`: times stand as each machine's clock wrote them.
   */
  readonly by: 'first' | 'clock' | 'collectives' | 'steps' | 'measured' | 'none';
  /** Of how many collectives or steps, else 0. */
  readonly count: number;
  /** Both clocks were measured before and after their captures. */
  readonly isReadTwice?: true;
  /** Index of an earlier trace of the same machine. */
  readonly sameHostAs?: number;
}

/** Clocks of machines are set by the network to within this, or are wrong altogether: further apart, nothing is looked for. */
const CLOCKS_WITHIN_NS = 2e9;
/** Two readings of a machine's clocks since one boot: the time since boot and the date run apart no further. */
const SAME_BOOT_NS = 50_000_000n;
const MIN_STEPS = 2;

/**
 * How the clocks of several traces of one job compare, by what is in them, and by what was measured of their machines,
 * all from one machine. The first one's is the clock of all.
 */
export function alignTraces(
  traces: readonly Trace[],
  clocks: readonly (MeasuredClock | undefined)[] = [],
): readonly Alignment[] {
  const [first, ...others] = traces;
  if (first === undefined) return [];
  const moments = traces.map(sharedMoments);
  const alignments: Alignment[] = [{ offsetNs: 0, uncertaintyNs: 0, by: 'first', count: 0 }];
  for (const [index, trace] of others.entries()) {
    const at = index + 1;
    const sameHostAs = traces.findIndex((each, place) => place < at && isSameHost(each, trace));
    const measured = measuredOffset(
      { trace: first, clock: clocks[0] },
      { trace, clock: clocks[at] },
    );
    const shared = [moments[0], moments[at]] as [SharedMoments, SharedMoments];
    const own = alignTwo(first, trace, shared, measured);
    alignments.push({ ...own, ...(sameHostAs >= 0 && { sameHostAs }) });
  }
  return alignments;
}

function alignTwo(
  first: Trace,
  other: Trace,
  [ours, recorded]: readonly [SharedMoments, SharedMoments],
  measured: Correction | undefined,
): Alignment {
  const exact = sameClockOffset(first, other);
  if (exact !== undefined) return { offsetNs: exact, uncertaintyNs: 0, by: 'clock', count: 0 };
  // Times of the other on the first one's, as their clocks stand.
  const laterNs = Number(other.meta.beginUnixNs - first.meta.beginUnixNs);
  // What is known of its rate counts however the rest is told.
  const gainNs = measured === undefined ? 0 : measured.offsetAtEndNs - measured.offsetNs;
  const theirs = gainNs === 0 ? recorded : stretched(recorded, gainNs / other.meta.lengthNs);
  const from = (offsetNs: number) => ({
    offsetNs,
    ...(gainNs !== 0 && { offsetAtEndNs: offsetNs + Math.round(gainNs) }),
  });
  const steps = stepShift(ours.stepsNs, theirs.stepsNs, laterNs);
  const bySteps = steps && { offsetNs: -steps.ns, uncertaintyNs: steps.spreadNs };
  const known = narrower(bySteps, measured);
  const middle = -(known?.offsetNs ?? 0);
  // What is known of long ago says less than that clocks are set.
  const knownWithinNs = Math.max((known?.uncertaintyNs ?? CLOCKS_WITHIN_NS) * 2, 5e6);
  const around = Math.min(knownWithinNs, CLOCKS_WITHIN_NS);
  const collectives = densestShift(
    ours.collectivesNs,
    theirs.collectivesNs.map((ns) => ns + laterNs),
    [middle - around, middle + around],
  );
  if (collectives !== undefined)
    return {
      ...from(-Math.round(collectives.ns)),
      uncertaintyNs: Math.max(1, Math.ceil(collectives.spreadNs)),
      by: 'collectives',
      count: collectives.pairs,
    };
  if (known === undefined) return { offsetNs: 0, by: 'none', count: 0 };
  // Where the clocks agree to within what is known, they are left alone.
  const mostNs = Math.max(Math.abs(known.offsetNs), Math.abs(known.offsetNs + gainNs));
  const isNear = mostNs <= known.uncertaintyNs;
  const leftNs = isNear ? mostNs : 0;
  return {
    ...(isNear ? { offsetNs: 0 } : from(Math.round(known.offsetNs))),
    uncertaintyNs: Math.max(1, Math.ceil(known.uncertaintyNs + leftNs)),
    ...(known === bySteps
      ? { by: 'steps', count: steps?.pairs ?? 0 }
      : { by: 'measured', count: 0, ...(measured?.isReadTwice && { isReadTwice: true }) }),
  };
}

/** The same moments by a clock that goes faster by this part. */
function stretched({ collectivesNs, stepsNs }: SharedMoments, drift: number): SharedMoments {
  const moved = (ns: number) => ns + ns * drift;
  return {
    collectivesNs: collectivesNs.map(moved),
    stepsNs: new Map([...stepsNs].map(([name, ns]) => [name, moved(ns)])),
  };
}

type Known = Required<Pick<Alignment, 'offsetNs' | 'uncertaintyNs'>>;

function narrower(one: Known | undefined, other: Known | undefined): Known | undefined {
  if (one === undefined || other === undefined) return one ?? other;
  return other.uncertaintyNs < one.uncertaintyNs ? other : one;
}

/** By how much steps of one name end later in the other trace; none is further from the middle than the spread. */
function stepShift(
  ours: SharedMoments['stepsNs'],
  theirs: SharedMoments['stepsNs'],
  laterNs: number,
): { readonly ns: number; readonly spreadNs: number; readonly pairs: number } | undefined {
  const apart = [...ours].flatMap(([name, ns]) => {
    const other = theirs.get(name);
    return other === undefined ? [] : [other + laterNs - ns];
  });
  const ns = median(apart);
  if (ns === undefined || apart.length < MIN_STEPS) return undefined;
  const spreadNs = apart.reduce((most, each) => Math.max(most, Math.abs(each - ns)), 0);
  return { ns, spreadNs, pairs: apart.length };
}

/** What to add to the times of `other`, where both traces read the clock of one boot of one machine. */
function sameClockOffset(first: Trace, other: Trace): number | undefined {
  const [one, two] = [bootClock(first), bootClock(other)];
  if (one === undefined || two === undefined || !haveOneName(first, other)) return undefined;
  const apart = one.realAtZeroNs - two.realAtZeroNs;
  if (apart > SAME_BOOT_NS || apart < -SAME_BOOT_NS) return undefined;
  // The begin of a trace is a date, which may have been set meanwhile; the time since boot was not.
  const later = two.beginNs - one.beginNs;
  return Number(later - (other.meta.beginUnixNs - first.meta.beginUnixNs));
}

/** Of a trace of one machine, when it began by the time since boot, and what date that clock began at. */
function bootClock({ clocks, hosts }: Trace) {
  if (hosts.length !== 1) return undefined;
  for (const { readings } of clocks)
    for (const { startNs, monotonicNs, realNs } of readings)
      if (monotonicNs !== undefined && realNs !== undefined)
        return {
          beginNs: monotonicNs - BigInt(Math.round(startNs)),
          realAtZeroNs: realNs - monotonicNs,
        };
  return undefined;
}

const haveOneName = (one: Trace, other: Trace) =>
  one.hosts[0]?.hostname !== undefined && one.hosts[0].hostname === other.hosts[0]?.hostname;

/** Whether both were recorded on one machine, each of them of processes of its own. */
function isSameHost(one: Trace, other: Trace): boolean {
  if (one.hosts.length !== 1 || other.hosts.length !== 1 || !haveOneName(one, other)) return false;
  const pids = new Set(one.processes.map(({ pid }) => pid));
  return !other.processes.some(({ pid }) => pids.has(pid));
}
