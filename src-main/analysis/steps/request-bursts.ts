import type { RequestBursts } from '../../shared/answers/steps.ts';
import { percentiles } from '../../shared/numbers/percentile.ts';
import { PHASE, type PhaseIntervals } from '../loop/phase-list.ts';

/**
 * What a server did between its waits for requests: a burst goes from the end of one wait to the begin of the
 * next, and has CUDA calls. `undefined` where there is none.
 */
export function requestBursts({
  startsNs,
  endsNs,
  phases,
  calls,
}: PhaseIntervals): RequestBursts | undefined {
  const busyNs: number[] = [];
  let longestWaitNs = 0;
  let cameNs = Number.NaN;
  let hasCalls = false;
  for (let at = 0; at < phases.length; at++) {
    if (phases[at] !== PHASE.idle) {
      hasCalls ||= calls[at] >= 0;
      continue;
    }
    // The first burst may have begun before the window.
    if (hasCalls && !Number.isNaN(cameNs)) busyNs.push(startsNs[at] - cameNs);
    longestWaitNs = Math.max(longestWaitNs, endsNs[at] - startsNs[at]);
    cameNs = endsNs[at];
    hasCalls = false;
  }
  if (busyNs.length === 0) return undefined;
  const [medianNs] = percentiles(Float64Array.from(busyNs), [50]);
  return { count: busyNs.length, medianNs, longestWaitNs };
}
