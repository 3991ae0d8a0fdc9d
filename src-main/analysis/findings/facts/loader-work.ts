import { type CycleCause, cycleCauses } from '../../../shared/answers/wait-chain.ts';
import { onceFor } from '../../index/per-trace.ts';
import { samplesWithin } from '../../stacks/hot-lines.ts';
import {
  type LoaderStack,
  type LoaderStage,
  loaderStack,
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

/** The threads that make batches: the workers' main ones, else the rank's. */
export function makersOf({ workers, rank }: RankFacts): readonly number[] {
  if (workers.length > 0) return workers.map(({ mainThread }) => mainThread);
  return rank.mainThread >= 0 ? [rank.mainThread] : [];
}

/** Counted once per rank. */
export const loaderSamples = onceFor((facts: RankFacts) => facts, countSamples);

function countSamples(facts: RankFacts): LoaderSamples {
  const { trace } = facts;
  const byStage = perKey<LoaderStage, number[]>(loaderStages, () => []);
  const [transforms, tokenizing, picking]: number[][] = [[], [], []];
  let count = 0;
  const { stack: stacks } = trace.tables.cpu_sample.columns;
  for (const thread of makersOf(facts)) {
    for (const row of samplesWithin(trace, thread, facts.window)) {
      const stack = loaderStack(trace, stacks?.[row] ?? -1);
      byStage[stack.stage].push(row);
      if (stack.stage === 'unknown' || stack.stage === 'elsewhere') continue;
      count++;
      if (has(stack, TRANSFORM_FILE)) transforms.push(row);
      if (has(stack, TOKENIZER_FILE)) tokenizing.push(row);
      if (stack.stage === 'item' && isPicking(stack)) picking.push(row);
    }
  }
  return { count, byStage, transforms, tokenizing, picking };
}

function has({ frames, entry = -1 }: LoaderStack, file: RegExp): boolean {
  for (let at = 0; at <= entry; at++) if (file.test(frames[at]?.file ?? '')) return true;
  return false;
}

/** Whether the innermost Python is PyTorch's dataset: what it wraps are tensors. */
function isPicking({ frames }: LoaderStack): boolean {
  const innermost = frames.find(({ language }) => language === 'python');
  return PYTORCH_DATASET.test(innermost?.file ?? '');
}

/** What the workers' cycles went to, summed over them. */
export interface Production {
  /** Cycles without the wait for an index and the start, ns. */
  readonly ns: number;
  readonly byCause: Readonly<Record<CycleCause, number>>;
  readonly batches: number;
  /** Minor faults in a second on a CPU; -1 = not known. */
  readonly faultsPerSecond: number;
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
