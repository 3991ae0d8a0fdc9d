import { NONE } from '../../../shared/model/schema.ts';
import { bitsOfStacks } from '../../../shared/model/stacks.ts';
import { perStacks } from '../../index/per-trace.ts';
import { SIGN_COLLECTIVE, stackSigns } from '../../loop/stack-signs.ts';
import { samplesWithin } from '../../stacks/hot-lines.ts';
import type { RankFacts } from './facts.ts';
import { FEW_SAMPLES } from './most-sampled.ts';
import { mostPlace } from './thread-work.ts';

/** What CPU samples in a rank's collectives tell of how they are called. */
export interface CollectiveCalls {
  /** `reduce_gradients (train.py:30)`: where the job's own code calls most of them; undefined where samples don't tell. */
  readonly place: string | undefined;
  /** Whether most are of Python objects, which are pickled (all_gather_object and the like). */
  readonly areOfObjects: boolean;
  /** Whether most are called by the loader: batches, or what they are made of, come from another rank. */
  readonly bringBatches: boolean;
}

const OBJECT_FUNCTION = /_object(s|_list)?$/;
const DISTRIBUTED_FILE = /[/\\]torch[/\\]distributed[/\\]distributed_c10d/;

const ofObjects = perStacks((stacks) =>
  bitsOfStacks(stacks, ({ symbol, file = '' }) =>
    Number(OBJECT_FUNCTION.test(symbol) && DISTRIBUTED_FILE.test(file)),
  ),
);

export function collectiveCalls(facts: RankFacts): CollectiveCalls {
  const { trace, rank, window } = facts;
  const { stack } = trace.tables.cpu_sample.columns;
  const { signs, loads } = stackSigns(trace);
  const inside = [...samplesWithin(trace, rank.mainThread, window)]
    .map((row) => stack?.[row] ?? NONE)
    .filter((at) => signs[at] === SIGN_COLLECTIVE);
  if (inside.length < FEW_SAMPLES)
    return { place: undefined, areOfObjects: false, bringBatches: false };
  const bits = ofObjects(trace);
  const place = mostPlace(
    facts,
    inside.map((at) => ({ stack: at, weight: 1 })),
  );
  const isMost = (of: Uint8Array) => inside.filter((at) => of[at] === 1).length > inside.length / 2;
  return { place, areOfObjects: isMost(bits), bringBatches: isMost(loads) };
}
