import { NONE } from '../../../shared/model/schema.ts';
import { onceFor } from '../../index/per-trace.ts';
import { SIGN_LOADER, stackSigns } from '../../loop/stack-signs.ts';
import {
  type HandoverStage,
  handoverStacks,
  handoverStages,
} from '../../stacks/handover-stacks.ts';
import { samplesWithin } from '../../stacks/hot-lines.ts';
import { loaderStacks } from '../../stacks/loader-stacks.ts';
import type { RankFacts } from './facts.ts';
import { helpersOf, loaderSamples } from './loader-work.ts';
import { mostSampled } from './most-sampled.ts';

/** Samples of handing batches over from the workers to the training loop: rows of cpu_sample by stage. */
export interface Handover {
  /** Of the training and the pinning thread, in the loader. */
  readonly taken: number;
  readonly taking: Readonly<Record<HandoverStage, readonly number[]>>;
  /** Of the threads of workers that send, in Python. */
  readonly sent: number;
  readonly pickling: readonly number[];
}

/** Counted once per rank. */
export const handover = onceFor((facts: RankFacts) => facts, countHandover);

function countHandover(facts: RankFacts): Handover {
  const { trace, rank, window } = facts;
  const { stack } = trace.tables.cpu_sample.columns;
  const { stage: stages } = handoverStacks(trace);
  const { signs } = stackSigns(trace);
  const taking = Object.fromEntries(handoverStages.map((name) => [name, [] as number[]])) as Record<
    HandoverStage,
    number[]
  >;
  for (const thread of [rank.mainThread, ...rank.pinThreads])
    for (const row of samplesWithin(trace, thread, window)) {
      const at = stack?.[row] ?? NONE;
      if (signs[at] === SIGN_LOADER) taking[handoverStages[stages[at]]].push(row);
    }
  const sent = helpersOf(facts)
    .flatMap((thread) => [...samplesWithin(trace, thread, window)])
    .filter((row) => loaderStacks(trace).python[stack?.[row] ?? NONE] >= 0);
  const isPickling = (row: number) => handoverStages[stages[stack?.[row] ?? NONE]] === 'pickling';
  const taken = handoverStages.reduce((sum, name) => sum + taking[name].length, 0);
  return { taken, taking, sent: sent.length, pickling: sent.filter(isPickling) };
}

/** A function of the job with less of the samples is not what to look at. */
const NAMED_SHARE = 0.25;

/**
 * Whose objects a batch has: the job's function that unpickling calls most, else the one that makes batches, the collate_fn
 * before the dataset's own. Undefined where no stack shows one.
 */
export function batchMaker(
  facts: RankFacts,
): { readonly place: string; readonly unpickles: boolean } | undefined {
  const { trace } = facts;
  const { entry } = loaderStacks(trace);
  const { byStage } = loaderSamples(facts);
  const { unpickling } = handover(facts).taking;
  const called = mostSampled(trace, unpickling, handoverStacks(trace).own, NAMED_SHARE);
  if (called !== undefined) return { place: called, unpickles: true };
  const made =
    mostSampled(trace, byStage.collate, entry, 0) ?? mostSampled(trace, byStage.item, entry, 0);
  return made === undefined ? undefined : { place: made, unpickles: false };
}
