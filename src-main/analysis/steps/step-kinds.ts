import type { StepKind } from '../../shared/answers/steps.ts';
import { percentiles } from '../../shared/numbers/percentile.ts';

/** A kind has so many steps at least; fewer are exceptions. Our own choice, as are the next. */
const MIN_STEPS = 5;
/** So much of all steps a kind has at least. */
const MIN_SHARE = 0.1;
/** How much longer the steps of the longer kind are. */
const MIN_RATIO = 2;
/** Of the variance of the lengths' logarithms, what two kinds explain; evenly spread lengths: 75 %, normal ones: 64 %. */
const MIN_EXPLAINED = 0.85;

/**
 * The two kinds of steps that `durations` are of, the shorter first, where one middle would be the length of hardly
 * any: cut where that explains most of the variance (Otsu, IEEE SMC 9, 1979). Undefined where they are of one kind.
 */
export function stepKinds(
  durations: Float64Array,
  minShare = MIN_SHARE,
): readonly [StepKind, StepKind] | undefined {
  const sorted = durations.toSorted();
  const logs = sorted.map((ns) => Math.log(Math.max(1, ns)));
  const least = Math.max(MIN_STEPS, Math.ceil(logs.length * minShare));
  const { at, explained } = bestCut(logs, least);
  if (!(explained >= MIN_EXPLAINED)) return undefined;
  const kinds = [kindOf(sorted.subarray(0, at)), kindOf(sorted.subarray(at))] as const;
  return kinds[1].medianNs >= MIN_RATIO * kinds[0].medianNs ? kinds : undefined;
}

function bestCut(logs: Float64Array, least: number): { at: number; explained: number } {
  const count = logs.length;
  const mean = logs.reduce((sum, value) => sum + value, 0) / count;
  const spread = logs.reduce((sum, value) => sum + (value - mean) ** 2, 0);
  let best = { at: 0, explained: 0 };
  let before = 0;
  for (let at = 1; at <= count - least; at++) {
    before += logs[at - 1] - mean;
    if (at < least) continue;
    // Between the two means: n0 n1 / n (m0 − m1)².
    const explained = (before * before * count) / (at * (count - at) * spread);
    if (explained > best.explained) best = { at, explained };
  }
  return best;
}

function kindOf(durations: Float64Array): StepKind {
  return { count: durations.length, medianNs: percentiles(durations, [50])[0] };
}
