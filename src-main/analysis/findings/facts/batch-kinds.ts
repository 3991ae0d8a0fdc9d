import type { StepKind } from '../../../shared/answers/steps.ts';
import { productionCycles } from '../../chain/production-cycles.ts';
import { stepKinds } from '../../steps/step-kinds.ts';
import type { RankFacts } from './facts.ts';

/** The longer kind has so much of all batches at least, and takes so much of the time of making them. Our own choice. */
const MIN_SHARE = 0.005;
const MOST = 0.5;

/** Batches of two kinds, of which few take most of the time that the workers need. */
export interface BatchKinds {
  readonly short: StepKind;
  readonly long: StepKind;
}

/** Undefined where batches take about as long as each other, or how long each takes is not known. */
export function batchKinds({
  trace,
  rank,
  workers,
}: Pick<RankFacts, 'trace' | 'rank' | 'workers'>): BatchKinds | undefined {
  const durations = workers.flatMap(({ process }) => {
    const { startsNs, putsNs, count } = productionCycles(trace, rank, process);
    // The first begins with the fork.
    return Array.from(
      { length: Math.max(0, count - 1) },
      (_, at) => putsNs[at + 1] - startsNs[at + 1],
    );
  });
  const kinds = stepKinds(Float64Array.from(durations), MIN_SHARE);
  if (kinds === undefined) return undefined;
  const [short, long] = kinds;
  const ofLong = long.count * long.medianNs;
  const isMost = ofLong >= MOST * (ofLong + short.count * short.medianNs);
  return isMost && long.count < short.count ? { short, long } : undefined;
}
