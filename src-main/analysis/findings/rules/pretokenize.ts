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
    text: 'Write all tokens one after the other into one file before training, and where each text ends into another. A sample is then a slice of a memory map, which every worker shares; it is cut, padded or masked as before. This is for a tokenizer that gives the same tokens each time.',
    before: `from torch.utils.data import Dataset

class YourDataset(Dataset):
    def __len__(self):
        return len(your_texts)

    def __getitem__(self, index):
        return your_sample(torch.tensor(your_tokenize(your_texts[index])))  # again in every epoch

loader = DataLoader(YourDataset(), batch_size=your_batch_size, num_workers=your_num_workers, **your_options)`,
    after: `import numpy as np
from torch.utils.data import Dataset

tokens = [np.asarray(your_tokenize(text), np.int64) for text in your_texts]  # once, before training
np.save("tokens.npy", np.concatenate(tokens))
np.save("ends.npy", np.cumsum([len(each) for each in tokens]))

class YourDataset(Dataset):
    def __init__(self):
        self.tokens = np.load("tokens.npy", mmap_mode="r")
        self.ends = np.load("ends.npy")

    def __len__(self):
        return len(self.ends)

    def __getitem__(self, index):
        start = self.ends[index - 1] if index > 0 else 0
        return your_sample(torch.from_numpy(self.tokens[start:self.ends[index]].copy()))

loader = DataLoader(YourDataset(), batch_size=your_batch_size, num_workers=your_num_workers, **your_options)`,
    language: 'python',
    sources: [debugGuide('less than 0.1 ms for a sample that is already tokens')],
  };
}
