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
  const calls = called === undefined ? undefined : callable(called);
  return judgeSampled(facts, {
    title: 'The collate_fn takes most of the loading',
    samples,
    where: 'in the job’s own collate_fn',
    claims: claimsOf(facts),
    ...(calls !== undefined && { calls }),
    fix: fixFor(facts, samples, called, calls),
  });
}

function claimsOf({ workers }: RankFacts): (cell: CostCell) => boolean {
  return workers.length > 0
    ? inputCell('worker', 'running')
    : inputCell('main', 'running', 'fault');
}

/** Where nearly all of it is in a function that the collate_fn calls, it is that work, and not the putting together. */
function calledBy({ trace }: RankFacts, samples: readonly number[]): string | undefined {
  const entries = loaderStacks(trace).entry;
  const { inner } = itemParts(trace, sampledStacks(trace, samples), entries) ?? {};
  const collate = mostSampled(trace, samples, entries, CLEARLY);
  const isCalled =
    inner !== undefined && collate !== undefined && functionOf(inner) !== functionOf(collate);
  return isCalled ? functionOf(inner) : undefined;
}

/** A function that pads, of the job or of PyTorch. */
const PADS = /(^|[._])pad/i;

function fixFor(
  { trace: { stacks, tables } }: RankFacts,
  samples: readonly number[],
  called: string | undefined,
  calls: string | undefined,
): Fix {
  if (called !== undefined)
    return PADS.test(called) ? padFix : calledFix(called, calls ?? 'your_work_on');
  const { stack } = tables.cpu_sample.columns;
  const isIn = bitsOfStacks(stacks, ({ symbol }) => Number(PADS.test(symbol)));
  const padding = samples.filter((row) => isIn[stack?.[row] ?? NONE] === 1);
  return padding.length * 2 >= samples.length ? padFix : stackFix;
}

function calledFix(name: string, call: string): Fix {
  return {
    title: `Take ${name} out of the collate_fn`,
    text: 'Compute once, before training, what is the same each time for a sample, and keep it beside the sample. What depends on something random, such as a crop or a flip, has to follow it: do that on the GPU, for the whole batch. All else that the collate_fn returns stays as it is.',
    before: `def collate(samples):
    made = [${call}(sample) for sample in samples]  # again for every batch
    return your_rest(samples, made)

loader = DataLoader(raw, batch_size=batch_size, collate_fn=collate)`,
    after: `your_pairs = [(sample, ${call}(sample)) for sample in raw]  # once, before training

def collate(pairs):
    samples, made = zip(*pairs)
    return your_rest(samples, made)  # all else that it did, as before

loader = DataLoader(your_pairs, batch_size=batch_size, collate_fn=collate)`,
    language: 'python',
    sources: [collateDocs],
  };
}

const collateDocs = pytorchDocs(
  'Working with collate_fn',
  'docs/stable/data.html#working-with-collate-fn',
);

const sortAndPad = debugGuide('sort by length, pad once a batch, pin in the collate_fn');

/** Sequences of unequal length. */
const padFix: Fix = {
  title: 'Pad and stack the whole batch at once',
  text: 'A loop over samples allocates and copies for each of them. One call that pads all of them allocates once. Batches of samples of about the same length need less padding, but that is another order of training: sort by length only where that is wanted.',
  before: `def collate(samples):
    longest = max(len(sample) for sample in samples)
    padded = []
    for sample in samples:
        padding = torch.zeros(longest - len(sample))
        padded.append(torch.cat([sample, padding]))
    return torch.stack(padded)

loader = DataLoader(ragged, batch_size=batch_size, collate_fn=collate)`,
  after: `from torch.nn.utils.rnn import pad_sequence

def collate(samples):
    return pad_sequence(samples, batch_first=True)

loader = DataLoader(ragged, batch_size=batch_size, collate_fn=collate)`,
  language: 'python',
  sources: [sortAndPad],
};

const stackFix: Fix = {
  title: 'Put the whole batch together at once',
  text: 'A loop over samples, or over their values, allocates and copies for each of them. One call for all of them does it once. Samples that are dicts or tuples go through default_collate as they are. Keep all else that your collate_fn returns.',
  before: `def collate(samples):
    rows = [[float(value) for value in sample.flatten()] for sample in samples]  # value by value
    return torch.tensor(rows)

loader = DataLoader(your_tensors, batch_size=batch_size, collate_fn=collate)`,
  after: `def collate(samples):
    return torch.stack(samples)  # or default_collate(samples), of torch.utils.data

loader = DataLoader(your_tensors, batch_size=batch_size, collate_fn=collate)`,
  language: 'python',
  sources: [collateDocs],
};
