import { type CycleCause, cycleCauses } from '../../../shared/answers/wait-chain.ts';
import { NONE } from '../../../shared/model/schema.ts';
import { codesOfFrames, type Frame, foldStacks } from '../../../shared/model/stacks.ts';
import { onceFor, perStacks } from '../../index/per-trace.ts';
import { traceIndex } from '../../index/trace-index.ts';
import { samplesWithin } from '../../stacks/hot-lines.ts';
import {
  isOwnCode,
  type LoaderStage,
  loaderStacks,
  loaderStages,
} from '../../stacks/loader-stacks.ts';
import type { CostCell, RankFacts } from './facts.ts';

/** What the making of batches went to: in the workers, or in the main process where it has none. */

/** With fewer samples a share is off by more than ten percentage points. */
export const SAMPLES_AT_LEAST = 25;

/** What takes most of the time decides which fix is meant. */
export const DOMINANT_SHARE = 0.5;

/** Samples of making batches, by what the Python on their stacks was doing. */
export interface LoaderSamples {
  /** With Python frames, inside the loader. */
  readonly count: number;
  /** Rows of cpu_sample. */
  readonly byStage: Readonly<Record<LoaderStage, readonly number[]>>;
  /** Rows of those in the dataset or a collate_fn. */
  readonly transforms: readonly number[];
  readonly tokenizing: readonly number[];
  /** Rows in the dataset, where PyTorch's own TensorDataset only picks rows. */
  readonly picking: readonly number[];
}

const TRANSFORM_FILE =
  /\/(torchvision\/transforms|albumentations|imgaug|kornia|skimage\/transform|monai\/transforms|torchaudio\/transforms)[/.]|\/PIL\/Image(Ops|Filter|Enhance|Chops)\.py$/;
const TOKENIZER_FILE =
  /\/(tokenizers|sentencepiece|tiktoken|nltk|spacy|torchtext|transformers\/tokenization_\w+|transformers\/models\/\w+\/tokenization_\w+)[/.]/;
const PYTORCH_DATASET = /\/torch\/utils\/data\/dataset\.py$/;
/** What passes an index on to another dataset, from Python 3.11 on, whose functions have their class in their name. */
const PASSES_ON = /^(ConcatDataset|Subset|StackDataset)\./;

/** The threads that make batches: the workers' main ones, else the rank's. */
export function makersOf({ workers, rank }: RankFacts): readonly number[] {
  if (workers.length > 0) return workers.map(({ mainThread }) => mainThread);
  return rank.mainThread >= 0 ? [rank.mainThread] : [];
}

/** Their switches within the window, rows of off_cpu; of the training thread those outside of its other time. */
export function switchesOfMakers(facts: RankFacts): number[] {
  const { isSample, row, length } = facts.host.evidence;
  const elsewhere = new Set<number>();
  for (let at = 0; at < length; at++) if (isSample[at] === 0) elsewhere.add(row[at]);
  return switchesOfThreads(facts, makersOf(facts)).filter((each) => !elsewhere.has(each));
}

/** Rows of off_cpu of these threads within the window. */
export function switchesOfThreads(
  { trace, window }: Pick<RankFacts, 'trace' | 'window'>,
  threads: readonly number[],
): number[] {
  return threads.flatMap((thread) => {
    const { rows, startsNs } = traceIndex(trace).switchesOf(thread);
    return [...rows.subarray(startsNs.lowerBound(window[0]), startsNs.lowerBound(window[1]))];
  });
}

/** Threads of the workers beside their main ones. */
export function helpersOf({ workers }: RankFacts): readonly number[] {
  return workers.flatMap(({ threads, mainThread }) =>
    threads.filter((thread) => thread !== mainThread),
  );
}

/** Counted once per rank. */
export const loaderSamples = onceFor((facts: RankFacts) => facts, countSamples);

function countSamples(facts: RankFacts): LoaderSamples {
  const { trace } = facts;
  const byStage = perKey<LoaderStage, number[]>(loaderStages, () => []);
  const [transforms, tokenizing, picking]: number[][] = [[], [], []];
  let count = 0;
  const stages = loaderStacks(trace).stage;
  const works = stackWorks(trace);
  const { stack: stacks } = trace.tables.cpu_sample.columns;
  for (const thread of makersOf(facts)) {
    for (const row of samplesWithin(trace, thread, facts.window)) {
      const stack = stacks?.[row] ?? NONE;
      const stage = loaderStages[stages[stack] ?? 0];
      byStage[stage].push(row);
      if (stage === 'unknown' || stage === 'elsewhere') continue;
      count++;
      if (works[stack] & TRANSFORMS) transforms.push(row);
      if (works[stack] & TOKENIZES) tokenizing.push(row);
      if (stage === 'item' && works[stack] & PICKS) picking.push(row);
    }
  }
  return { count, byStage, transforms, tokenizing, picking };
}

const [TRANSFORMS, TOKENIZES, PICKS, PASSES, OWN] = [1, 2, 4, 8, 16];

function workOf(frame: Frame): number {
  const { symbol, file = '' } = frame;
  return (
    (isOwnCode(frame) ? OWN : 0) |
    (TRANSFORM_FILE.test(file) ? TRANSFORMS : 0) |
    (TOKENIZER_FILE.test(file) ? TOKENIZES : 0) |
    (!PYTORCH_DATASET.test(file) ? 0 : PASSES_ON.test(symbol) ? PICKS | PASSES : PICKS)
  );
}

/**
 * By stack, what is done for a batch: transforming and tokenizing from the function that the loader
 * called inwards, and whether the innermost Python is PyTorch's dataset: what it wraps are tensors, unless it passes on what the
 * job's own dataset asks it for.
 */
const stackWorks = perStacks((stacks) => {
  const { entry, called, python } = loaderStacks({ stacks });
  const works = codesOfFrames(stacks, workOf);
  return foldStacks(stacks, new Uint8Array(stacks.length), 0, (outer, frame, stack) => {
    if (entry[stack] === NONE) return 0;
    const within = entry[stack] === stack ? 0 : outer & ~PICKS;
    const innermost = works[stacks.frame[python[stack]]];
    const isForOwn = innermost & PASSES && works[stacks.frame[called[stack]]] & OWN;
    return within | (works[frame] & ~PICKS) | (isForOwn ? 0 : innermost & PICKS);
  });
});

/** What the workers' cycles went to, summed over them. */
export interface Production {
  /** Cycles without the wait for an index and the start, ns. */
  readonly ns: number;
  readonly byCause: Readonly<Record<CycleCause, number>>;
  readonly batches: number;
  /** Minor faults in a second on a CPU; -1 = not known. */
  readonly faultsPerSecond: number;
}

/** Of it, in which a worker was ready and had no CPU. */
export function cpuWaitNs({ byCause }: Production): number {
  return (
    byCause['runnable-own'] + byCause['runnable-other'] + byCause.throttled + byCause['idle-cpu']
  );
}

export function production({ workers }: Pick<RankFacts, 'workers'>): Production {
  const byCause = perKey<CycleCause, number>(cycleCauses, () => 0);
  for (const { cycles } of workers)
    for (const cause of cycleCauses) byCause[cause] += cycles[cause];
  const ns = cycleCauses.reduce((sum, cause) => sum + byCause[cause], 0);
  return {
    ns: ns - byCause['waiting-for-index'] - byCause.starting,
    byCause,
    batches: workers.reduce((sum, { batches }) => sum + batches, 0),
    faultsPerSecond: faultsPerSecond(workers),
  };
}

function faultsPerSecond(workers: RankFacts['workers']): number {
  const counted = workers.filter(({ states }) => states.minorFaults >= 0);
  const runningNs = counted.reduce((sum, { states }) => sum + states.runningNs, 0);
  const faults = counted.reduce((sum, { states }) => sum + states.minorFaults, 0);
  return runningNs > 0 ? (faults / runningNs) * 1e9 : -1;
}

function perKey<Key extends string, Value>(keys: readonly Key[], make: () => Value) {
  return Object.fromEntries(keys.map((key) => [key, make()])) as Record<Key, Value>;
}

/** Time in which the loop waited for a batch, by why it was not there. */
export function inputCell(whose: CostCell['whose'], ...causes: readonly CostCell['cause'][]) {
  const wanted = new Set(causes);
  return (cell: CostCell) =>
    cell.phase === 'input' && cell.whose === whose && wanted.has(cell.cause);
}
