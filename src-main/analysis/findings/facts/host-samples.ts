import { onceFor } from '../../index/per-trace.ts';
import { samplesWithin } from '../../stacks/hot-lines.ts';
import type { RankFacts } from './facts.ts';

/** Samples of the loop's main thread in its host time: rows of cpu_sample, in order of time. Once per rank. */
export const hostSamples = onceFor(
  (facts: RankFacts) => facts,
  ({ trace, rank, hostTime: { startsNs, endsNs } }: RankFacts): readonly number[] =>
    Array.from(startsNs, (startNs, at) => [
      ...samplesWithin(trace, rank.mainThread, [startNs, endsNs[at]]),
    ]).flat(),
);
