import { NONE } from '../../../shared/model/schema.ts';
import { SIGN_COLLECTIVE, stackSigns } from '../../loop/stack-signs.ts';
import { samplesWithin } from '../../stacks/hot-lines.ts';
import type { RankFacts } from './facts.ts';
import { FEW_SAMPLES } from './most-sampled.ts';
import { mostPlace } from './thread-work.ts';

/** `reduce_gradients (train.py:30)`: where the job's own code calls most of its collectives, by CPU samples in them. */
export function placeOfCollectives(facts: RankFacts): string | undefined {
  const { trace, rank, window } = facts;
  const { stack } = trace.tables.cpu_sample.columns;
  const { signs } = stackSigns(trace);
  const inside = [...samplesWithin(trace, rank.mainThread, window)]
    .map((row) => stack?.[row] ?? NONE)
    .filter((at) => signs[at] === SIGN_COLLECTIVE);
  if (inside.length < FEW_SAMPLES) return undefined;
  return mostPlace(
    facts,
    inside.map((at) => ({ stack: at, weight: 1 })),
  );
}
