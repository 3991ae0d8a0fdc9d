import type { Rank } from '../../shared/answers/jobs.ts';
import {
  addRan,
  type ChainSegment,
  type ChainSum,
  type RanInstead,
} from '../../shared/answers/wait-chain.ts';
import type { Trace } from '../../shared/model/trace.ts';
import { inPieces, type Pieces } from '../../shared/numbers/pieces.ts';
import { measuredStretch, measuredSums } from './measured-stretch.ts';
import { describe, joinedProof, labeller, lengthOf, proofOf } from './segments.ts';
import type { Stretch } from './walk.ts';

/** Telling one takes a few searches; a chain may have 100,000. */
const MAX_TOLD = 2_000;

/** So many are added up in a few milliseconds. */
const STRETCHES_OF_A_PIECE = 500;

type Part = Pick<ChainSum, 'state' | 'reason' | 'proof' | 'ns'> &
  Pick<ChainSegment, 'ran' | 'event'>;
type Growing = { -readonly [K in keyof ChainSum]: ChainSum[K] } & {
  /** By thread. */
  readonly byThread: Map<number, RanInstead>;
};

/**
 * The stretches of a chain summed by who and why, most first. Of very many the shortest are not told one
 * by one, but summed by thread; the sums tile the chain's time all the same. In pieces.
 */
export function* chainSums(
  trace: Trace,
  rank: Rank | undefined,
  stretches: readonly Stretch[],
  maxTold = MAX_TOLD,
): Pieces<ChainSum[]> {
  const labelOf = labeller(trace, rank);
  const sums = new Map<string, Growing>();
  const partsOf = (stretch: Stretch): readonly Part[] => {
    const measured = measuredStretch(trace, stretch);
    if (measured !== undefined) return measuredSums(measured);
    return [{ ...describe(trace, stretch, labelOf), ns: lengthOf(stretch) }];
  };
  const add = (stretch: Stretch, isTold: boolean) => {
    const thread = labelOf(stretch.thread);
    const parts = isTold ? partsOf(stretch) : [untold(trace, stretch)];
    for (const { state, reason, proof, ns, ran = [], event } of parts) {
      const key = `${stretch.thread} ${state} ${reason}`;
      const sum = sums.get(key) ?? newSum({ thread, state, reason, proof });
      sums.set(key, sum);
      for (const each of ran)
        addRan(sum.byThread, { ...each, ...(event !== undefined && { event }) });
      sum.ns += ns;
      sum.count++;
      sum.longestNs = Math.max(sum.longestNs, ns);
      sum.proof = joinedProof(sum.proof, proof);
    }
  };
  const byLength = stretches.toSorted((a, b) => lengthOf(b) - lengthOf(a));
  const addAll = (from: number, to: number) => {
    for (let at = from; at < to; at++) add(byLength[at], at < maxTold);
  };
  yield* inPieces(byLength.length, addAll, STRETCHES_OF_A_PIECE);
  return [...sums.values()].sort((a, b) => b.ns - a.ns).map(told);
}

const newSum = (of: Pick<ChainSum, 'thread' | 'state' | 'reason' | 'proof'>): Growing => ({
  ...{ ...of, ns: 0, count: 0, longestNs: 0, byThread: new Map() },
});

function told({ byThread, ...sum }: Growing): ChainSum {
  const ran = [...byThread.values()].sort((a, b) => b.ns - a.ns);
  return ran.length === 0 ? sum : { ...sum, ran };
}

const untold = (trace: Trace, stretch: Stretch): Part => ({
  state: 'unknown',
  reason: 'many short stretches, not listed one by one',
  proof: proofOf(trace, stretch),
  ns: lengthOf(stretch),
});
