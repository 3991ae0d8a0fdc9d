import type { Fix } from '../../../shared/answers/diagnosis.ts';
import { NONE } from '../../../shared/model/schema.ts';
import { bitsOfStacks } from '../../../shared/model/stacks.ts';
import { loaderStacks } from '../../stacks/loader-stacks.ts';
import { CLEARLY, functionOf } from '../facts/culprit.ts';
import type { CostCell, RankFacts } from '../facts/facts.ts';
import { itemParts, sampledStacks } from '../facts/item-parts.ts';
import { inputCell, loaderSamples } from '../facts/loader-work.ts';
import { mostSampled } from '../facts/most-sampled.ts';
import { callable } from '../fixes/own-names.ts';
import { debugGuide, pytorchDocs } from '../fixes/sources.ts';
import { judgeSampled } from '../judging/judge-samples.ts';
import { pythonSamples } from '../judging/needs.ts';
import type { Rule } from '../rule.ts';

/** The job's own collate_fn takes most of the making of a batch. */
export const vectorCollate: Rule = { id: 'vector-collate', needs: [pythonSamples], judge };

function judge(facts: RankFacts) {
  const samples = loaderSamples(facts).byStage.collate;
  const called = calledBy(facts, samples);
  return judgeSampled(facts, {
    title: 'The collate_fn takes most of the loading',
    samples,
    where: 'in the job’s own collate_fn',
    claims: claimsOf(facts),
    inner: called,
    fix: fixFor(facts, samples, called),
  });
}

function claimsOf({ workers }: RankFacts): (cell: CostCell) => boolean {
  return workers.length > 0
    ? inputCell('worker', 'running')
    : inputCell('main', 'running', 'fault');
}

/** `tile (train.py:12)`: where nearly all of it is in a function that the collate_fn calls, it is that work, and not the putting together. */
function calledBy({ trace }: RankFacts, samples: readonly number[]): string | undefined {
  const entries = loaderStacks(trace).entry;
  const { inner } = itemParts(trace, sampledStacks(trace, samples), entries) ?? {};
  const collate = mostSampled(trace, samples, entries, CLEARLY);
  const isCalled =
    inner !== undefined && collate !== undefined && functionOf(inner) !== functionOf(collate);
  return isCalled ? inner : undefined;
}

/** A function that pads, of the job or of PyTorch. */
const PADS = /(^|[._])pad/i;

function fixFor(
  { trace: { stacks, tables } }: RankFacts,
  samples: readonly number[],
  called: string | undefined,
): Fix {
  if (called !== undefined) return PADS.test(functionOf(called)) ? padFix : calledFix(called);
  const { stack } = tables.cpu_sample.columns;
  const isIn = bitsOfStacks(stacks, ({ symbol }) => Number(PADS.test(symbol)));
  const padding = samples.filter((row) => isIn[stack?.[row] ?? NONE] === 1);
  return padding.length * 2 >= samples.length ? padFix : stackFix;
}

function calledFix(place: string): Fix {
  const name = functionOf(place);
  const call = callable(name) ?? 'your_prepare';
  return {
    title: `Take ${name} out of the collate_fn`,
    text: 'Compute once, before training, what is the same each time for a sample, and keep it beside the sample. What depends on something random, such as a crop or a flip, has to follow it: do that on the GPU, for the whole batch. All else that the collate_fn returns stays as it is. Pairs that do not fit in memory are saved, each by torch.save(), and loaded in __getitem__.',
    before: `def your_collate_fn(samples):
    made = [${call}(sample) for sample in samples]  # again for every batch
    return your_rest(samples, made)

${loaderOf('your_dataset')}`,
    after: `pairs = [(sample, ${call}(sample)) for sample in your_dataset]  # once, before training

def your_collate_fn(pairs):
    samples, made = zip(*pairs)
    return your_rest(samples, made)  # all else that it did, as before

${loaderOf('pairs')}`,
    language: 'python',
    sources: [collateDocs],
  };
}

const loaderOf = (dataset: string) =>
  `loader = DataLoader(${dataset}, batch_size=your_batch_size, collate_fn=your_collate_fn, **your_options)`;

const collateDocs = pytorchDocs(
  'Working with collate_fn',
  'docs/stable/data.html#working-with-collate-fn',
);

const sortAndPad = debugGuide('sort by length, pad once a batch, pin in the collate_fn');

/** Sequences of unequal length. */
const padFix: Fix = {
  title: 'Pad and stack the whole batch at once',
  text: 'A loop over samples allocates and copies for each of them. One call that pads all of them allocates once. Batches of samples of about the same length need less padding, but that is another order of training: sort by length only where that is wanted.',
  before: `def your_collate_fn(samples):
    longest = max(len(your_sequence(sample)) for sample in samples)
    padded = []
    for sample in samples:
        padding = torch.zeros(longest - len(your_sequence(sample)))
        padded.append(torch.cat([your_sequence(sample), padding]))
    return your_rest(samples, torch.stack(padded))

${loaderOf('your_dataset')}`,
  after: `from torch.nn.utils.rnn import pad_sequence

def your_collate_fn(samples):
    sequences = [your_sequence(sample) for sample in samples]
    padded = pad_sequence(sequences, batch_first=True, padding_value=0)  # or what you pad with
    return your_rest(samples, padded)  # all else that it did, as before

${loaderOf('your_dataset')}`,
  language: 'python',
  sources: [sortAndPad],
};

const stackFix: Fix = {
  title: 'Put the whole batch together at once',
  text: 'A loop over samples, or over their values, allocates and copies for each of them. One call for all of them does it once. Samples that are dicts or tuples go through default_collate as they are. Keep all else that your collate_fn returns.',
  before: `def your_collate_fn(samples):
    rows = [[float(value) for value in your_array(sample)] for sample in samples]  # value by value
    return your_rest(samples, torch.tensor(rows))

${loaderOf('your_dataset')}`,
  after: `def your_collate_fn(samples):
    rows = torch.stack([torch.as_tensor(your_array(sample), dtype=torch.float32) for sample in samples])  # of your type
    return your_rest(samples, rows)  # all else that it did, as before

${loaderOf('your_dataset')}`,
  language: 'python',
  sources: [collateDocs],
};
