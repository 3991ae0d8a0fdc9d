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
  /** The steps that it was seen in, and its longest time in one, ns. */
  readonly steps: number;
  readonly longestNs: number;
}

/**
 * How often moments and waits of the training thread's other time come, by the steps they lie in. What is short is met by
 * samples in a few of the steps that have it: of such it is said only where each step has as much of that time as the
 * others. Asked with indices into the evidence.
 */
export function repeatsIn(
  steps: Spans,
  hostTime: Spans,
  { evidence }: HostTime,
): (at: readonly number[]) => Repeats | undefined {
  let hostNs: Float64Array | undefined;
  return (at) => {
    if (steps.startsNs.length < MIN_EVENTS) return undefined;
    hostNs ??= lengthsIn(steps, hostTime);
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
    return repeats(byStep, hostNs, isSampled);
  };
}

function stepAt({ startsNs, endsNs }: Spans, atNs: number): number {
  const step = upperBound(startsNs, atNs) - 1;
  return step >= 0 && atNs < endsNs[step] ? step : -1;
}

/** How much of `spans` lies in each step. */
function lengthsIn(steps: Spans, spans: Spans): Float64Array {
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

function repeats(
  byStep: ReadonlyMap<number, number>,
  hostNs: Float64Array,
  isSampled: boolean,
): Repeats | undefined {
  const count = hostNs.length;
  const longestNs = [...byStep.values()].reduce((most, ns) => Math.max(most, ns), 0);
  const events = [...byStep].filter(([, ns]) => ns >= Math.max(EVENT_NS, longestNs / SMALL_EVENT));
  const steps = events.map(([step]) => step).sort((a, b) => a - b);
  if (steps.length === 0) return undefined;
  const told = { steps: steps.length, longestNs };
  const always = { text: 'at every step', everySteps: 1, ...told };
  if (steps.length >= count * REGULAR_SHARE) return always;
  const every = steps.length < MIN_EVENTS ? undefined : intervalOf(steps, count);
  if (every !== undefined)
    return { text: `every ${formatCount(every)} steps`, everySteps: every, ...told };
  const allNs = [...byStep.values()].reduce((sum, ns) => sum + ns, 0);
  if (isSampled && isEven(hostNs, allNs)) return always;
  if (isSampled) return undefined;
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

/** Whether nine of ten steps have at least half as much host time as the middle one, and `ns` may be spread over them all. */
function isEven(hostNs: Float64Array, ns: number): boolean {
  const sorted = hostNs.toSorted();
  const middleNs = sorted[nearestRank(sorted.length, 50) - 1] ?? 0;
  const lowNs = sorted[Math.floor(sorted.length / 10)] ?? 0;
  return middleNs > 0 && lowNs >= middleNs / 2 && ns <= 2 * middleNs * hostNs.length;
}
