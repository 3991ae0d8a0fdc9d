import type { Fix } from '../../../shared/answers/diagnosis.ts';
import type { CostCell, RankFacts } from '../facts/facts.ts';
import { inputCell, loaderSamples } from '../facts/loader-work.ts';
import { debugGuide } from '../fixes/sources.ts';
import { judgeSampled } from '../judging/judge-samples.ts';
import { pythonSamples } from '../judging/needs.ts';
import type { Rule } from '../rule.ts';

/** The job's own collate_fn takes most of the making of a batch. */
export const vectorCollate: Rule = { id: 'vector-collate', needs: [pythonSamples], judge };

function judge(facts: RankFacts) {
  return judgeSampled(facts, {
    title: 'The collate_fn takes most of the loading',
    samples: loaderSamples(facts).byStage.collate,
    where: 'in the job’s own collate_fn',
    claims: claimsOf(facts),
    fix: fix(),
  });
}

function claimsOf({ workers }: RankFacts): (cell: CostCell) => boolean {
  return workers.length > 0
    ? inputCell('worker', 'running')
    : inputCell('main', 'running', 'fault');
}

function fix(): Fix {
  return {
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
batches = [by_length[at:at + 32] for at in range(0, len(by_length), 32)]
loader = DataLoader(ragged, batch_sampler=batches, collate_fn=collate)`,
    language: 'python',
    sources: [debugGuide('sort by length, pad once a batch, pin in the collate_fn')],
  };
}
