import type { Fix } from '../../../shared/answers/diagnosis.ts';
import { formatDuration, plural } from '../../../shared/text/units.ts';
import { claimed, evidence } from '../facts/evidence.ts';
import type { CostCell, RankFacts } from '../facts/facts.ts';
import { isWorthTelling } from '../facts/job-shape.ts';
import { makersOf } from '../facts/loader-work.ts';
import { debugGuide } from '../fixes/sources.ts';
import { idleDevice, waitOf } from '../judging/links.ts';
import { completeSwitches } from '../judging/needs.ts';
import type { Judgement, Rule } from '../rule.ts';

/**
 * A forked worker of PyTorch is ready within some 10 to 50 ms, one that is spawned imports PyTorch
 * first, 2 to 5 s (both measured with PyTorch 1.13); from this on something else takes the time.
 */
const SLOW_FORK_NS = 0.5e9;

const claims = ({ cause }: CostCell) => cause === 'starting';

/** Workers take long to start: they are given, or load, much before their first batch. */
export const lazyInit: Rule = { id: 'lazy-init', needs: [completeSwitches], judge };

function judge(facts: RankFacts): Judgement | undefined {
  const slow = facts.workers.filter(({ cycles }) => cycles.starting >= SLOW_FORK_NS);
  if (slow.length === 0) return undefined;
  const { ns, events } = claimed(facts.costs, claims);
  if (!isWorthTelling(facts, ns)) return undefined;
  const longestNs = Math.max(...slow.map(({ cycles }) => cycles.starting));
  const text = `${plural(slow.length, 'DataLoader worker')} took 0.5 s or more to start, the slowest ${formatDuration(longestNs)}`;
  return {
    title: 'DataLoader workers take long to start',
    sentence: `${text}. The training loop waited ${formatDuration(ns)} for workers to start.`,
    confidence: 'possible',
    evidence: [evidence(text, 'exact', events)],
    hotThreads: makersOf(facts),
    claims,
    gain: { reach: 'waits' },
    fix: fix(),
    chain: {
      system: evidence(text, 'exact'),
      host: evidence(waitOf(facts, ns, 'waited for workers to start'), 'exact', events),
      cuda: idleDevice(facts, claims),
    },
  };
}

function fix(): Fix {
  return {
    title: 'Open the data in __getitem__, and map it instead of loading it',
    text: 'What a dataset holds when the loader starts is given to every worker: copied and pickled where workers are spawned, copied page by page where they are forked and touch it. A dataset that holds only a path, and maps the file at the first sample, is ready at once, and all workers share the pages.',
    before: `from torch.utils.data import Dataset

class YourDataset(Dataset):
    def __init__(self, path):
        self.rows = your_open(path)  # goes to every worker

    def __len__(self):
        return len(self.rows)

    def __getitem__(self, index):
        return your_prepare(self.rows[index])

loader = DataLoader(YourDataset(your_path), batch_size=your_batch_size, num_workers=your_num_workers, **your_options)`,
    after: `from torch.utils.data import Dataset

class YourDataset(Dataset):
    def __init__(self, path):
        self.path, self.rows = path, None
        self.length = len(your_open(path))  # only the number is kept

    def __len__(self):
        return self.length

    def __getitem__(self, index):
        if self.rows is None:
            self.rows = your_open(self.path)  # in the worker, at its first sample
        return your_prepare(self.rows[index])

loader = DataLoader(YourDataset(your_path), batch_size=your_batch_size, num_workers=your_num_workers, **your_options)`,
    language: 'python',
    sources: [debugGuide('an index of 500 MB and 8 workers: 4 GB to pickle')],
  };
}
