import type { Fix } from '../../../shared/answers/diagnosis.ts';
import type { RankFacts } from '../facts/facts.ts';
import { inputCell, loaderSamples } from '../facts/loader-work.ts';
import { debugGuide } from '../fixes/sources.ts';
import { judgeSampled } from '../judging/judge-samples.ts';
import { pythonSamples } from '../judging/needs.ts';
import type { Rule } from '../rule.ts';

/** The workers' CPU time goes to turning the same text into the same tokens in every epoch. */
export const pretokenize: Rule = { id: 'pretokenize', needs: [pythonSamples], judge };

function judge(facts: RankFacts) {
  return judgeSampled(facts, {
    title: 'The workers tokenize during training',
    samples: loaderSamples(facts).tokenizing,
    where: 'in a tokenizer',
    claims: inputCell('worker', 'running'),
    fix: fix(),
  });
}

function fix(): Fix {
  return {
    title: 'Tokenize once, into a flat file',
    text: 'Write all tokens one after the other into one file before training. A sample is then a slice of a memory map, which every worker shares.',
    before: `class Lines(Dataset):
    def __len__(self):
        return len(texts)

    def __getitem__(self, index):
        return torch.tensor(tokenize(texts[index])[:8])  # again in every epoch

loader = DataLoader(Lines(), batch_size=batch_size, num_workers=num_workers)`,
    after: `tokens = np.concatenate([np.asarray(tokenize(text), np.uint32) for text in texts])
tokens.tofile("tokens.bin")  # once, before training

class Blocks(Dataset):
    def __init__(self, path, length):
        self.tokens = np.memmap(path, np.uint32, "r")
        self.length = length

    def __len__(self):
        return len(self.tokens) // self.length

    def __getitem__(self, index):
        start = index * self.length
        return torch.from_numpy(self.tokens[start:start + self.length].astype(np.int64))

loader = DataLoader(Blocks("tokens.bin", 8), batch_size=batch_size, num_workers=num_workers)`,
    language: 'python',
    sources: [debugGuide('less than 0.1 ms for a sample that is already tokens')],
  };
}
