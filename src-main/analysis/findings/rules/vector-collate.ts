import type { Fix } from '../../../shared/answers/diagnosis.ts';
import { loaderStacks } from '../../stacks/loader-stacks.ts';
import { CLEARLY, functionOf } from '../facts/culprit.ts';
import type { CostCell, RankFacts } from '../facts/facts.ts';
import { itemParts, sampledStacks } from '../facts/item-parts.ts';
import { inputCell, loaderSamples } from '../facts/loader-work.ts';
import { mostSampled } from '../facts/most-sampled.ts';
import { callable } from '../fixes/own-names.ts';
import { debugGuide } from '../fixes/sources.ts';
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
    fix: called === undefined ? stackFix : calledFix(called, calls ?? 'tokenize'),
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

function calledFix(name: string, call: string): Fix {
  return {
    title: `Take ${name} out of the collate_fn`,
    text: 'Compute once, before training, what depends on one sample, and keep it. Do what differs each time in __getitem__, or on the GPU for the whole batch. Then the collate_fn only puts tensors together.',
    before: `from torch.nn.utils.rnn import pad_sequence

def collate(samples):
    return pad_sequence([torch.as_tensor(${call}(sample)) for sample in samples], batch_first=True)

loader = DataLoader(raw, batch_size=batch_size, collate_fn=collate)`,
    after: `from torch.nn.utils.rnn import pad_sequence

ready = [torch.as_tensor(${call}(sample)) for sample in raw]  # once, before training

def collate(samples):
    return pad_sequence(samples, batch_first=True)

loader = DataLoader(ready, batch_size=batch_size, collate_fn=collate)`,
    language: 'python',
    sources: [sortAndPad],
  };
}

const sortAndPad = debugGuide('sort by length, pad once a batch, pin in the collate_fn');

const stackFix: Fix = {
  title: 'Pad and stack the whole batch at once',
  text: 'A loop over samples allocates and copies for each of them. One call that pads all of them allocates once; samples sorted by length need less padding.',
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

by_length = sorted(range(len(ragged)), key=lambda index: len(ragged[index]))
batches = [by_length[at:at + batch_size] for at in range(0, len(by_length), batch_size)]
random.shuffle(batches)  # alike in one batch, not in the order of training
loader = DataLoader(ragged, batch_sampler=batches, collate_fn=collate)`,
  language: 'python',
  sources: [sortAndPad],
};
