import { NONE } from '../../../shared/model/schema.ts';
import { onceFor } from '../../index/per-trace.ts';
import { SIGN_LOADER, stackSigns } from '../../loop/stack-signs.ts';
import {
  type HandoverStage,
  handoverStacks,
  handoverStages,
} from '../../stacks/handover-stacks.ts';
import { samplesWithin } from '../../stacks/hot-lines.ts';
import { loaderStacks, loaderStages } from '../../stacks/loader-stacks.ts';
import type { RankFacts } from './facts.ts';
import { sampledStacks } from './item-parts.ts';
import { helpersOf, loaderSamples, makersOf, switchesOfThreads } from './loader-work.ts';
import { mostSampled, onlyFunction } from './most-sampled.ts';

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
  const { unpickling } = handover(facts).taking;
  const called = mostSampled(trace, unpickling, handoverStacks(trace).own, NAMED_SHARE);
  if (called !== undefined) return { place: called, unpickles: true };
  const { collate, 'default-collate': defaultCollate } = loaderSamples(facts).byStage;
  // One of its own may be that of another loader, as for evaluation.
  const isOwn = defaultCollate.length <= collate.length;
  const made =
    (isOwn ? calledByLoader(facts, 'collate') : undefined) ?? calledByLoader(facts, 'item');
  return made === undefined ? undefined : { place: made, unpickles: false };
}

/**
 * The function that the loader calls at that stage: the one met most on a CPU, else the only one that a stack shows, of a wait
 * too. A worker that has little to do is seldom met in either.
 */
function calledByLoader(facts: RankFacts, wanted: 'collate' | 'item'): string | undefined {
  const { trace } = facts;
  const { entry, stage } = loaderStacks(trace);
  const rows = loaderSamples(facts).byStage[wanted];
  const most = mostSampled(trace, rows, entry, 0);
  if (most !== undefined) return most;
  const { stack } = trace.tables.off_cpu.columns;
  const waits = switchesOfThreads(facts, makersOf(facts)).map((row) => stack?.[row] ?? NONE);
  const asleep = waits.filter((at) => loaderStages[stage[at]] === wanted);
  return onlyFunction(trace, [...sampledStacks(trace, rows), ...asleep], entry);
}
