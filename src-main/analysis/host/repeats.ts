import { upperBound } from '../../shared/numbers/bisect.ts';
import { nearestRank } from '../../shared/numbers/percentile.ts';
import { formatCount } from '../../shared/text/units.ts';
import type { Spans } from '../index/spans.ts';
import type { HostTime } from './host-time.ts';

/** Time of one kind in a step of less than this is no event of its own. */
const EVENT_NS = 1e6;
const MIN_EVENTS = 3;
/** Nor is what is so many times shorter than the longest. */
const SMALL_EVENT = 20;
const REGULAR_SHARE = 0.8;

/** How often something happens. */
export interface Repeats {
  /** `at every step`, `every 20 steps`, `in 3 of 160 steps`. */
  readonly text: string;
  /** Steps from one time to the next, where that is regular. */
  readonly everySteps?: number;
  /** The steps that it was seen in. */
  readonly steps: number;
}

/**
 * How often moments and waits of the training thread's other time come, by the steps they lie in. What is short is met by
 * samples in a few of the steps that have it: of such it is said only where it is most of that time, and each step has as
 * much of it as the others. Asked with indices into the evidence.
 */
export function repeatsIn(
  steps: Spans,
  hostTime: () => Spans,
  { evidence }: HostTime,
): (at: readonly number[]) => Repeats | undefined {
  let hostNs: Float64Array | undefined;
  return (at) => {
    if (steps.startsNs.length < MIN_EVENTS) return undefined;
    hostNs ??= lengthsIn(steps, hostTime());
    const byStep = new Map<number, number>();
    for (const each of at) {
      const step = stepAt(steps, evidence.startsNs[each]);
      if (step >= 0) byStep.set(step, (byStep.get(step) ?? 0) + evidence.ns[each]);
    }
    const sampledNs = at.reduce(
      (sum, each) => sum + evidence.ns[each] * evidence.isSample[each],
      0,
    );
    const allNs = at.reduce((sum, each) => sum + evidence.ns[each], 0);
    const isSampled = sampledNs > allNs / 2;
    return repeats(byStep, hostNs.length, EVENT_NS, isSampled ? hostNs : undefined);
  };
}

/**
 * How often rows of a table come that were recorded one by one, such as calls, by the steps that they begin in. Asked with
 * the table's starts, its rows, and what each weighs in its step: 1, or its length.
 */
export function rowsRepeatIn(
  steps: Spans,
): (
  startNs: ArrayLike<number>,
  rows: readonly number[],
  weightOf?: (row: number) => number,
) => Repeats | undefined {
  return (startNs, rows, weightOf = () => 1) => {
    const count = steps.startsNs.length;
    if (count < MIN_EVENTS) return undefined;
    const byStep = new Map<number, number>();
    for (const row of rows) {
      const step = stepAt(steps, startNs[row]);
      if (step >= 0) byStep.set(step, (byStep.get(step) ?? 0) + weightOf(row));
    }
    return repeats(byStep, count, 0);
  };
}

/** The step that a moment lies in; -1 = none. */
export function stepAt({ startsNs, endsNs }: Spans, atNs: number): number {
  const step = upperBound(startsNs, atNs) - 1;
  return step >= 0 && atNs < endsNs[step] ? step : -1;
}

/** How much of `spans` lies in each step, ns. */
export function lengthsIn(steps: Spans, spans: Spans): Float64Array {
  const lengths = new Float64Array(steps.startsNs.length);
  for (let at = 0; at < spans.startsNs.length; at++) {
    const first = upperBound(steps.endsNs, spans.startsNs[at]);
    for (let step = first; steps.startsNs[step] < spans.endsNs[at]; step++)
      lengths[step] +=
        Math.min(steps.endsNs[step], spans.endsNs[at]) -
        Math.max(steps.startsNs[step], spans.startsNs[at]);
  }
  return lengths;
}

/** `byStep`: what it weighs in each step; `sampledIn`: the host time of each, where only samples tell; `count` = steps. */
function repeats(
  byStep: ReadonlyMap<number, number>,
  count: number,
  least: number,
  sampledIn?: Float64Array,
): Repeats | undefined {
  const most = [...byStep.values()].reduce((one, other) => Math.max(one, other), 0);
  const events = [...byStep].filter(([, weight]) => weight >= Math.max(least, most / SMALL_EVENT));
  const steps = events.map(([step]) => step).sort((a, b) => a - b);
  if (steps.length === 0) return undefined;
  const told = { steps: steps.length };
  const always = { text: 'at every step', everySteps: 1, ...told };
  if (steps.length >= count * REGULAR_SHARE) return always;
  const every = steps.length < MIN_EVENTS ? undefined : intervalOf(steps, count);
  if (every !== undefined)
    return { text: `every ${formatCount(every)} steps`, everySteps: every, ...told };
  const allNs = [...byStep.values()].reduce((sum, ns) => sum + ns, 0);
  if (sampledIn !== undefined) return isEven(sampledIn, allNs) ? always : undefined;
  return { text: `in ${formatCount(steps.length)} of ${formatCount(count)} steps`, ...told };
}

/** The interval that most distances are a multiple of, if events come at least at every other of its turns. */
function intervalOf(steps: readonly number[], count: number): number | undefined {
  const distances = steps.slice(1).map((step, at) => step - steps[at]);
  const counts = new Map<number, number>();
  for (const distance of distances) counts.set(distance, (counts.get(distance) ?? 0) + 1);
  const [most] = [...counts].toSorted((a, b) => b[1] - a[1] || a[0] - b[0]);
  const every = most?.[0] ?? 1;
  if (every < 2 || every > count / 2) return undefined;
  const regular = distances.filter((distance) => isMultiple(distance, every)).length;
  const turns = (steps[steps.length - 1] - steps[0]) / every + 1;
  const isRegular = regular >= distances.length * REGULAR_SHARE && steps.length >= turns / 2;
  return isRegular ? every : undefined;
}

/** A step may be counted twice or missed: one of ten is no other interval. */
function isMultiple(distance: number, every: number): boolean {
  const turns = Math.round(distance / every);
  return turns >= 1 && Math.abs(distance - turns * every) <= every / 10;
}

/**
 * Whether `ns` is at least half of the host time, and all but a tenth of the steps at either end have between half and twice
 * as much of that as the middle one. What is in some steps only, and as much as all else, would make those stand out.
 */
function isEven(hostNs: Float64Array, ns: number): boolean {
  const sorted = hostNs.toSorted();
  const atPercent = (percent: number) => sorted[nearestRank(sorted.length, percent) - 1] ?? 0;
  const middleNs = atPercent(50);
  const isLike = atPercent(10) >= middleNs / 2 && atPercent(90) <= 2 * middleNs;
  return middleNs > 0 && isLike && ns >= sorted.reduce((sum, each) => sum + each, 0) / 2;
}
