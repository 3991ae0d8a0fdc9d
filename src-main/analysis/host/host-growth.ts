import { type Growth, growthOf, quarterMeans } from '../../shared/numbers/growth.ts';
import type { Spans } from '../index/spans.ts';
import type { HostTime } from './host-time.ts';
import { lengthsIn, type Repeats, stepAt } from './repeats.ts';

/** How a part of the training thread's other time grows over the run, ns. */
export interface HostGrowth extends Growth {
  /** `step`: all other time of a step; `time`: each of the times that it came, where it comes in some steps only. */
  readonly of: 'step' | 'time';
}

/** As much of what the steps grow by is in what is asked about. Our own choice. */
const MOST_OF_IT = 0.5;
/** What is so many times shorter than the longest is no time of its own. */
const SMALL_TIME = 20;

/**
 * Whether moments and waits of the training thread's other time take longer and longer from step to step. How long that time
 * is in a step is known exactly, and whose it is by samples: what waits for a CPU more and more is not met by more of them.
 * Asked with indices into the evidence.
 */
export function hostGrowthIn(
  steps: Spans,
  hostTime: () => Spans,
  { evidence }: HostTime,
  repeats: (at: readonly number[]) => Repeats | undefined,
): (at: readonly number[]) => HostGrowth | undefined {
  let hostNs: Float64Array | undefined;
  return (at) => {
    if (steps.startsNs.length === 0) return undefined;
    const ownNs = ownByStep(steps, evidence, at);
    if ((repeats(at)?.everySteps ?? 1) > 1) {
      const mostNs = ownNs.reduce((most, ns) => Math.max(most, ns), 0);
      const grown = growthOf(ownNs.filter((ns) => ns > mostNs / SMALL_TIME));
      return grown && { ...grown, of: 'time' };
    }
    hostNs ??= lengthsIn(steps, hostTime());
    const grown = growthOf(hostNs);
    if (grown === undefined) return undefined;
    const [all, own] = [quarterMeans(hostNs), quarterMeans(ownNs)];
    return own.to - own.from >= (all.to - all.from) * MOST_OF_IT
      ? { ...grown, of: 'step' }
      : undefined;
  };
}

/** ns by step: of a wait its own, of every sample as much. */
function ownByStep(
  steps: Spans,
  { startsNs, ns, isSample }: HostTime['evidence'],
  at: readonly number[],
): Float64Array {
  const samples = at.filter((each) => isSample[each] === 1);
  const sampledNs = samples.reduce((sum, each) => sum + ns[each], 0) / Math.max(1, samples.length);
  const byStep = new Float64Array(steps.startsNs.length);
  for (const each of at) {
    const step = stepAt(steps, startsNs[each]);
    if (step >= 0) byStep[step] += isSample[each] === 1 ? sampledNs : ns[each];
  }
  return byStep;
}
