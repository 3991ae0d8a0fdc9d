import type { Evidence, Fix } from '../../../shared/answers/diagnosis.ts';
import { type HostKind, hostKinds } from '../../../shared/answers/host-time.ts';
import { codeOf } from '../../../shared/model/codes.ts';
import { formatCount, formatDuration, formatShare, plural } from '../../../shared/text/units.ts';
import {
  type HostWork,
  hostWorks,
  joinedWork,
  waitsAmong,
  waitsOf,
} from '../../host/host-parts.ts';
import { onceFor } from '../../index/per-trace.ts';
import { sureShare } from '../../input/assumed-stretch.ts';
import { systemCallsText } from '../facts/call-samples.ts';
import { areScarce } from '../facts/cpu-facts.ts';
import { clearCulprit, functionOf } from '../facts/culprit.ts';
import { claimed, evidence, partlyClaimed, refsTo } from '../facts/evidence.ts';
import type { CostCause, CostCell, RankFacts } from '../facts/facts.ts';
import { faultsText } from '../facts/fault-samples.ts';
import { hostGrowth } from '../facts/growth.ts';
import { oftenText } from '../facts/how-often.ts';
import { isWorthTelling, shareText, windowNs } from '../facts/job-shape.ts';
import { heldBackPart } from '../facts/limited-waits.ts';
import { FEW_SAMPLES } from '../facts/most-sampled.ts';
import { callsOfLoop } from '../facts/recorded-calls.ts';
import type { Gain, Judgement } from '../rule.ts';
import { idleDevice } from './links.ts';

/** A rule about one thing that the training thread does outside of CUDA calls and the loader. */
interface HostCause {
  readonly kind: HostKind;
  /** `The training loop saves checkpoints`: what follows is the place. */
  readonly title: string;
  /** `saving`, for `The training loop spent 1.2 s on saving`. */
  readonly doing: string;
  /** It is told to be over: how often it came says nothing. */
  readonly isOver?: boolean;
  /** Whether it is nothing but waiting, for what `doing` says. */
  readonly isWait?: true;
  /** Whether somebody else computes for it on this machine: less of it leaves the CPUs to all else. */
  readonly takesCpus?: boolean;
  /** Whether it is that which this rule tells, where two rules share the kind. */
  readonly isMeant?: (work: HostWork) => boolean;
  /** Who is to blame, by a name that it has in another recording too, where no function is known. */
  readonly culprit?: string | undefined;
  /** More that is known of it, each a sentence, and facts; `title` where that tells more, given ` in save (train.py:9)`. */
  readonly more?: (work: HostWork) => {
    readonly say: readonly string[];
    readonly facts: readonly Evidence[];
    readonly title?: ((where: string) => string) | undefined;
  };
  readonly fix: (work: HostWork) => Fix;
}

/** Less than this of something is not told beside it. */
const HARDLY = 0.02;

/** Causes of time on a CPU: samples share it out by what the thread was busy with. */
const RUNS: ReadonlySet<CostCause> = new Set([
  'running',
  'unknown',
  'drained',
  'launching',
  'fault',
  'stolen',
]);

const IS_FOR_CPU: ReadonlySet<CostCause> = new Set<CostCause>([
  'runnable',
  'runnable-own',
  'runnable-other',
  'throttled',
  'idle-cpu',
]);

/** Whether it is time on a CPU, as far as is known. */
export const runsIn = (cause: CostCause): boolean => RUNS.has(cause);

/** Whether it is time in which a thread was ready to run. */
export const isForCpu = (cause: CostCause): boolean => IS_FOR_CPU.has(cause);

/** Wall time in which the training thread was busy with that. */
export function hostCell(kind: HostKind): (cell: CostCell) => boolean {
  return ({ phase, whose, cause, activity = 'none' }) =>
    phase === 'other' && whose === 'main' && activity === kind && !IS_FOR_CPU.has(cause);
}

/** What the training thread did, by kind and function, once per rank. */
export const worksOf = onceFor(
  (facts: RankFacts) => facts,
  ({ trace, host }: RankFacts): readonly HostWork[] => hostWorks(trace, host),
);

/** The waits of the training thread that are of that kind: rows of off_cpu. */
export function rowsOf(facts: RankFacts, kind: HostKind): number[] {
  const { row } = facts.host.evidence;
  return worksOf(facts)
    .filter((work) => work.kind === kind)
    .flatMap(({ at }) => waitsAmong(facts.host, at).map((each) => row[each]));
}

/** The judgement, where that is worth telling. */
export function judgeHost(facts: RankFacts, cause: HostCause): Judgement | undefined {
  const claims = hostCell(cause.kind);
  const { ns } = claimed(facts.costs, claims);
  // What a limit takes of it is told with the limit.
  const left = partlyClaimed(facts.costs, claims, (cell) => 1 - heldBackPart(facts, cell));
  if (!isWorthTelling(facts, left.ns) || isIdling(facts, cause.kind)) return undefined;
  const own = worksOf(facts).filter(({ kind }) => kind === cause.kind);
  const work = joinedWork(own);
  if (work === undefined || !isSeen(facts, work)) return undefined;
  if (cause.isMeant?.(work) === false) return undefined;
  const more: ReturnType<NonNullable<HostCause['more']>> = cause.more?.(work) ?? {
    say: [],
    facts: [],
  };
  const shown = [...shownOf(facts, work, own), ...more.facts];
  const where = work.place === undefined ? '' : ` in ${work.place}`;
  const often = oftenText(cause.isOver ? undefined : facts.repeats(work.at));
  const host = `The training loop spent ${shareText(facts, ns)} on ${cause.doing}${where}${often}`;
  const called = clearCulprit(
    own.map(({ place, ns: each }) => ({ name: place && functionOf(place), ns: each })),
  );
  const culprit = called ?? cause.culprit;
  return {
    title: more.title?.(where) ?? `${cause.title}${where}`,
    ...(culprit !== undefined && { culprit }),
    ...(work.place !== undefined && { place: work.place }),
    sentence: [
      `${host}.`,
      cause.isWait === true ? '' : stateText(facts, work),
      faultsOf(facts, work),
      systemCallsText(facts, samplesOf(facts, work.at), [facts.rank.mainThread]),
      ...more.say,
    ]
      .filter(Boolean)
      .join(' '),
    confidence: work.sureNs >= work.ns / 2 ? 'likely' : 'possible',
    evidence: shown,
    // What waits more and more does not keep more and more.
    ...(work.ranNs >= work.ns / 2 && { growth: hostGrowth(facts, work.at, keeperOf(cause, work)) }),
    hotThreads: [facts.rank.mainThread],
    claims,
    gainShare: mostShare(facts, ns, cause.kind),
    ...((cause.takesCpus || work.ranNs >= work.ns / 2) && { gain: gainOfCpuWork(facts) }),
    fix: cause.fix(work),
    chain: {
      system: shown[0],
      host: evidence(host, work.ranNs > 0 ? 'inferred' : 'exact', shown[0].events),
      cuda: idleDevice(facts, claims),
    },
  };
}

/** Who may keep more and more: garbage is collected wherever something is made. */
const keeperOf = ({ kind }: HostCause, { place }: HostWork): string =>
  kind === 'garbage-collection' || place === undefined ? 'the job' : place;

/** In what a server waits for its requests. */
const IDLES: ReadonlySet<HostKind> = new Set<HostKind>([
  'producer',
  'thread-lock',
  'slow-server',
  'sleep',
]);

/** A server waits for requests, in whatever way they come: that is no fault of it. */
function isIdling({ steps }: RankFacts, kind: HostKind): boolean {
  return steps.serves === true && IDLES.has(kind);
}

/** Whether it is more than chance: waits are known one by one, samples are few. */
function isSeen(facts: RankFacts, { ns, ranNs, at }: HostWork): boolean {
  if (isWorthTelling(facts, ns - ranNs)) return true;
  const { isSample } = facts.host.evidence;
  return at.filter((each) => isSample[each] === 1).length >= FEW_SAMPLES;
}

/** How far it reaches to compute less in the loop: where all CPUs are busy, its workers have theirs sooner then. */
export function gainOfCpuWork({ cpus }: RankFacts): Gain {
  return { reach: areScarce(cpus) ? 'waits' : 'own' };
}

/** What looks alike: memory of its own that a loop gives back ends as the batches of workers do. */
const alsoMeant: Readonly<Partial<Record<HostKind, readonly HostKind[]>>> = {
  'host-data-movement': ['loader'],
};

/**
 * What can go with this kind at most, as a multiple of what is claimed for it: also the waits for a CPU of what it did; samples
 * tell shares of the time on a CPU only so well; and what has no kind may be of this one.
 */
export function mostShare(facts: RankFacts, foundNs: number, kind: HostKind): number {
  const { isSample, kind: kinds, length } = facts.host.evidence;
  const ofLoop = facts.costs.filter(({ phase, whose }) => phase === 'other' && whose === 'main');
  const nsOf = (test: (cell: CostCell) => boolean) =>
    ofLoop.filter(test).reduce((sum, { ns }) => sum + ns, 0);
  const mayBe = new Set<HostKind>([kind, 'none', ...(alsoMeant[kind] ?? [])]);
  const isKind = ({ activity = 'none' }: CostCell) => mayBe.has(activity);
  const isShared = ({ cause }: CostCell) => RUNS.has(cause) || IS_FOR_CPU.has(cause);
  const all = isSample.subarray(0, length).reduce((sum, one) => sum + one, 0);
  const codes = new Set([...mayBe].map((one) => codeOf(hostKinds, one)));
  const own = kinds
    .subarray(0, length)
    .filter((code, at) => isSample[at] === 1 && codes.has(code)).length;
  const mostNs = all === 0 ? 0 : (1 - sureShare(all - own, all)) * nsOf(isShared);
  const surplusNs = mostNs - nsOf((cell) => isShared(cell) && isKind(cell));
  return (nsOf(isKind) + Math.max(0, surplusNs)) / foundNs;
}

/** `Of that, 80.0 % was on a CPU, 20.0 % asleep: waiting for the disk: /out.pt.` */
function stateText(facts: RankFacts, work: HostWork): string {
  const [wait] = waitsOf(facts.trace, facts.host, work.at);
  const ran = formatShare(work.ranNs, work.ns);
  const isKnown = facts.trace.tables.off_cpu.rows > 0;
  const isAsleep = work.ranNs < work.ns * HARDLY;
  if (wait === undefined) return isKnown ? 'It was on a CPU meanwhile.' : '';
  if (isAsleep) return `It was asleep meanwhile, mostly waiting for ${wait.text}.`;
  const asleep = formatShare(work.ns - work.ranNs, work.ns);
  if (work.ns - work.ranNs < work.ns * HARDLY) return 'It was on a CPU meanwhile.';
  return `Of that it was asleep for ${asleep}, mostly waiting for ${wait.text}, and on a CPU for ${ran}.`;
}

const faultsOf = (facts: RankFacts, { at }: HostWork): string =>
  faultsText(facts.trace, samplesOf(facts, at));

/** The CPU samples among `at`: rows of cpu_sample. */
export function samplesOf(
  { host: { evidence: seen } }: RankFacts,
  at: readonly number[],
): number[] {
  return at.filter((each) => seen.isSample[each] === 1).map((each) => seen.row[each]);
}

/** The waits and the samples that show it, what takes most time first, and the functions where there are several. */
function shownOf(facts: RankFacts, work: HostWork, own: readonly HostWork[]): Evidence[] {
  const { isSample } = facts.host.evidence;
  const samples = samplesOf(facts, work.at);
  const all = isSample.subarray(0, facts.host.evidence.length).reduce((sum, one) => sum + one, 0);
  const waits = waitsOf(facts.trace, facts.host, work.at)
    .filter(({ ns }) => samples.length === 0 || ns >= work.ns * HARDLY)
    .slice(0, 3)
    .map(({ text, ns, rows }) =>
      evidence(
        `${plural(rows.length, 'wait')} for ${text}: ${formatDuration(ns)}`,
        'exact',
        refsTo('off_cpu', rows),
      ),
    );
  const ran = evidence(
    `${formatCount(samples.length)} of the ${formatCount(all)} CPU samples of the training loop outside of CUDA calls and of waiting for input show it`,
    'inferred',
    refsTo('cpu_sample', samples),
  );
  const shown = samples.length === 0 ? waits : [...waits, ran];
  const first = work.ranNs > work.ns / 2 ? [...shown].reverse() : shown;
  return [...first, ...placesOf(facts, own), ...callsOfLoop(facts, work.at)];
}

/** Where it is in several functions, how much of it in each. */
function placesOf(facts: RankFacts, own: readonly HostWork[]): Evidence[] {
  const placed = own.filter(({ place, ns }) => place !== undefined && ns >= windowNs(facts) / 100);
  if (placed.length < 2) return [];
  const told = placed.slice(0, 4).map(({ place, ns }) => `${place} ${formatDuration(ns)}`);
  return [evidence(`By function: ${told.join(', ')}`, 'inferred')];
}
