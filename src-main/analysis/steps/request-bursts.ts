import type { RequestBursts } from '../../shared/answers/steps.ts';
import { percentiles } from '../../shared/numbers/percentile.ts';
import { PHASE, type PhaseIntervals } from '../loop/phase-list.ts';

/**
 * What a server did between its waits for requests: a burst goes from the end of one wait to the begin of the
 * next, and has CUDA calls. What it waits between two of them is one wait: for a connection, then for what that sends.
 * `undefined` where there is none.
 */
export function requestBursts({
  startsNs,
  endsNs,
  phases,
  calls,
}: PhaseIntervals): RequestBursts | undefined {
  const busyNs: number[] = [];
  const waitedNs: number[] = [];
  let cameNs = Number.NaN;
  let idleNs = 0;
  let hasCalls = false;
  for (let at = 0; at < phases.length; at++) {
    if (phases[at] !== PHASE.idle) {
      if (calls[at] >= 0 && idleNs > 0) {
        waitedNs.push(idleNs);
        idleNs = 0;
      }
      hasCalls ||= calls[at] >= 0;
      continue;
    }
    // The first burst may have begun before the window.
    if (hasCalls && !Number.isNaN(cameNs)) busyNs.push(startsNs[at] - cameNs);
    idleNs += endsNs[at] - startsNs[at];
    cameNs = endsNs[at];
    hasCalls = false;
  }
  if (busyNs.length === 0) return undefined;
  const [medianNs, p95Ns] = percentiles(Float64Array.from(busyNs), [50, 95]);
  return { count: busyNs.length, medianNs, p95Ns, waits: waitsOf(waitedNs) };
}

function waitsOf(waitedNs: readonly number[]): RequestBursts['waits'] {
  const [medianNs, p95Ns, longestNs] = percentiles(Float64Array.from(waitedNs), [50, 95, 100]);
  return { count: waitedNs.length, medianNs, p95Ns, longestNs };
}
