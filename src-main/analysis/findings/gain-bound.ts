import type { Finding } from '../../shared/answers/diagnosis.ts';
import { NONE } from '../../shared/model/schema.ts';
import { sureShare } from '../input/assumed-stretch.ts';
import { SIGN_LOADER, SIGN_NONE, stackSigns } from '../loop/stack-signs.ts';
import { areScarce } from './facts/cpu-facts.ts';
import type { CostCause, CostCell, RankFacts } from './facts/facts.ts';
import { hostSamples } from './facts/host-samples.ts';
import { computedNs, windowNs } from './facts/job-shape.ts';
import type { Gain, Judgement } from './rule.ts';

/** No more than this can be saved, and why it may be that much. */
interface GainBound {
  readonly gainUpToNs: number;
  readonly gainAssumes: string;
}

/** A bound of so many times what a small finding costs is not given. Our own choice. */
const TELLING_TIMES = 5;

/** All waits that might end with a small thing say nothing of it: no bound then. */
export function tellingBound(
  bound: GainBound | undefined,
  severity: Finding['severity'],
  costNs: number,
): GainBound | undefined {
  const isTelling = severity !== 'low' || (bound?.gainUpToNs ?? 0) <= costNs * TELLING_TIMES;
  return isTelling ? bound : undefined;
}

/**
 * What fixing the cause of `judgement` wins at most. The training thread is the critical path of its loop: what it
 * did otherwise stays, and only its waits can go. Whether a fix reaches all of them its rule says (`Gain`): a loader
 * that is faster may end every wait for a batch, and not only those that the cause was seen in. Nor does the loop get
 * shorter than what the GPU computes by its own records, or than the work that stays takes the CPUs.
 */
export function gainBound(facts: RankFacts, judgement: Judgement): GainBound | undefined {
  const { claims, gain = { reach: 'own' } as Gain | 'unknown', gainShare = 1 } = judgement;
  if (claims === undefined || gain === 'unknown') return undefined;
  const mayGo = reachOf(facts, gain);
  const goneNs = facts.costs.reduce(
    (sum, cell) => sum + Math.max(claims(cell) ? cell.ns * gainShare : 0, mayGo(cell)),
    gain.moreNs ?? 0,
  );
  const isMore = gainShare > 1 || (gain.moreNs ?? 0) > 0;
  const floorNs = Math.max(gain.floorNs ?? 0, workFloorNs(facts, gain), gpuFloorNs(facts, gain));
  const gainUpToNs = Math.max(0, Math.round(Math.min(goneNs, windowNs(facts) - floorNs)));
  return { gainUpToNs, gainAssumes: assumption(gain, isMore, areScarce(facts.cpus)) };
}

/** `isMore`: it counts what may be of the cause, and is not shown to be; `isScarce`: and the loop’s own waits for a CPU. */
function assumption({ reach, cpus = 0 }: Gain, isMore: boolean, isScarce: boolean): string {
  const count = `${Number(cpus.toFixed(2))} ${cpus === 1 ? 'CPU' : 'CPUs'}`;
  const own = [
    ...(isScarce ? ['all waits for a CPU end with it'] : []),
    ...(isMore ? ['all time that may belong to it does'] : []),
  ];
  const ends = reach === 'own' ? own : ['all waits that it may cause end with it'];
  const why = ends.length > 0 ? [ends.join(' and ')] : [];
  const stays = cpus > 0 ? [`${count} ${cpus === 1 ? 'does' : 'do'} the same work as before`] : [];
  const parts = [...why, ...stays];
  return `if ${parts.length === 0 ? 'all else takes as long as before' : parts.join(', and ')}`;
}

const isCpuWait = (cause: CostCause) => /^(runnable|throttled|idle-cpu|stolen)/.test(cause);

/** Causes of time on a CPU. */
const RUNNING: ReadonlySet<CostCause> = new Set(['running', 'unknown', 'drained', 'launching']);

/** ns of a cell that can go with the cause, besides what the rule claims. */
function reachOf(facts: RankFacts, { reach }: Gain): (cell: CostCell) => number {
  // Where all CPUs are busy, who does less leaves them to others, and they to the loop.
  if (reach === 'own') {
    const isScarce = areScarce(facts.cpus);
    return ({ cause, ns }) => (isScarce && isCpuWait(cause) ? ns : 0);
  }
  const doubtfulShare = mayBeLoader(facts);
  const knowsWaits =
    facts.generations.length > 0 && facts.trace.tables.off_cpu.columns.waker !== undefined;
  return ({ phase, cause, ns }) => {
    // Batches of workers lie in memory that the main process touches for the first time.
    if (phase === 'input' || isCpuWait(cause) || cause === 'fault') return ns;
    // Input is a lower bound: what it may be short of is in other time.
    if (phase !== 'other') return 0;
    if (RUNNING.has(cause)) return ns * doubtfulShare;
    return knowsWaits ? 0 : ns;
  };
}

/** Of the loop's host time outside of input, the share of which samples do not show it to be outside the loader. */
function mayBeLoader(facts: RankFacts): number {
  const { signs } = stackSigns(facts.trace);
  const { stack } = facts.trace.tables.cpu_sample.columns;
  const samples = hostSamples(facts);
  const outside = samples.filter((row) => {
    const sign = signs[stack?.[row] ?? NONE] ?? SIGN_NONE;
    return sign !== SIGN_NONE && sign !== SIGN_LOADER;
  });
  return samples.length === 0 ? 1 : 1 - sureShare(outside.length, samples.length);
}

/** How long the CPUs take for what loop and workers compute, where a fix leaves that as it is. */
function workFloorNs(facts: RankFacts, { cpus = 0 }: Gain): number {
  return cpus > 0 ? computedNs(facts) / cpus : 0;
}

function gpuFloorNs({ starvation }: RankFacts, { gpuNs = 0 }: Gain): number {
  return Math.max(0, (starvation.recorded?.all.computingNs ?? 0) - gpuNs);
}
