import type { Fix } from '../../../shared/answers/diagnosis.ts';
import { NONE } from '../../../shared/model/schema.ts';
import { formatCount, formatShare } from '../../../shared/text/units.ts';
import { SIGN_LOADER, stackSigns } from '../../loop/stack-signs.ts';
import { samplesWithin } from '../../stacks/hot-lines.ts';
import { loaderStacks, loaderStages } from '../../stacks/loader-stacks.ts';
import { blames } from '../facts/culprit.ts';
import { claimed, evidence, refsTo } from '../facts/evidence.ts';
import type { RankFacts } from '../facts/facts.ts';
import { isWorthTelling, shareText } from '../facts/job-shape.ts';
import { DOMINANT_SHARE, inputCell, SAMPLES_AT_LEAST } from '../facts/loader-work.ts';
import { mostSampled } from '../facts/most-sampled.ts';
import { pytorchDocs } from '../fixes/sources.ts';
import type { Judgement } from '../rule.ts';
import { idleDevice, waitOf } from './links.ts';

/** A function with less of the samples is not the one to move. */
const NAMED_SHARE = 0.25;

const claims = inputCell('main', 'running', 'fault');

const MAKING: ReadonlySet<string> = new Set(['item', 'collate', 'default-collate']);

/**
 * There are workers, but the loader that the loop takes its batches from has none: a dataset around another loader, as a
 * queue of patches, works in the training process.
 */
export function judgeBesideWorkers(facts: RankFacts): Judgement | undefined {
  const { making, others } = samplesOfLoop(facts);
  if (making.length < SAMPLES_AT_LEAST) return undefined;
  if (making.length < (making.length + others) * DOMINANT_SHARE) return undefined;
  const { ns, events } = claimed(facts.costs, claims);
  if (!isWorthTelling(facts, ns)) return undefined;
  const { own, entry } = loaderStacks(facts.trace);
  const place =
    mostSampled(facts.trace, making, own, NAMED_SHARE) ??
    mostSampled(facts.trace, making, entry, NAMED_SHARE);
  const where = place === undefined ? '' : `, most of it in ${place}`;
  const all = making.length + others;
  const shown = evidence(
    `${formatCount(making.length)} of ${formatCount(all)} CPU samples of the training process in its loaders were in the dataset or the collate_fn of a loader without workers`,
    'inferred',
    refsTo('cpu_sample', making),
  );
  return {
    title: `The training process makes batches itself, beside its workers${place === undefined ? '' : `, in ${place}`}`,
    ...blames(place),
    sentence: `There are workers, but not of the loader that the training loop takes its batches from: the loop spent ${shareText(facts, ns)} on making them itself${where}. ${formatShare(making.length, all)} of its CPU samples in its loaders were there.`,
    confidence: 'likely',
    evidence: [shown],
    hotThreads: [facts.rank.mainThread],
    claims,
    gain: { reach: 'waits', cpus: facts.cpus.usable },
    fix: fixFor(place),
    chain: {
      system: shown,
      host: evidence(waitOf(facts, ns, 'made batches'), 'exact', events),
      cuda: idleDevice(facts, claims),
    },
  };
}

/** Samples of the training thread in its loaders: rows of cpu_sample in a dataset or a collate_fn, and how many are elsewhere. */
function samplesOfLoop({ trace, rank, window }: RankFacts) {
  const { stack: stacks } = trace.tables.cpu_sample.columns;
  const { stage } = loaderStacks(trace);
  const { signs } = stackSigns(trace);
  const making: number[] = [];
  let others = 0;
  for (const row of samplesWithin(trace, rank.mainThread, window)) {
    const stack = stacks?.[row] ?? NONE;
    if (stack === NONE) continue;
    if (MAKING.has(loaderStages[stage[stack]])) making.push(row);
    else if (signs[stack] === SIGN_LOADER) others++;
  }
  return { making, others };
}

function fixFor(place: string | undefined): Fix {
  return {
    title: `Let the workers do ${place === undefined ? 'it' : `what ${place} does`}`,
    text: 'A dataset that takes from another loader has no workers of its own: it works while the GPU waits. Do the same work in the dataset, or the collate_fn, of the loader that has the workers.',
    before: `from torch.utils.data import Dataset

class YourDataset(Dataset):
    def __init__(self):
        self.samples = iter(DataLoader(your_inner_dataset, batch_size=None, num_workers=2))

    def __len__(self):
        return len(your_inner_dataset)

    def __getitem__(self, index):
        return your_make(next(self.samples))  # in the training process

loader = DataLoader(YourDataset(), batch_size=your_batch_size)`,
    after: `from torch.utils.data import Dataset

class YourDataset(Dataset):
    def __len__(self):
        return len(your_inner_dataset)

    def __getitem__(self, index):
        return your_make(your_inner_dataset[index])  # in a worker

loader = DataLoader(YourDataset(), batch_size=your_batch_size, num_workers=2, **your_options)  # shuffle as the inner one`,
    language: 'python',
    sources: [
      pytorchDocs('single- and multi-process data loading', 'docs/stable/data.html'),
      {
        title: 'a queue of patches that are cut in the training process (from torchio#183)',
        url: 'https://github.com/TorchIO-project/torchio/issues/183',
      },
    ],
  };
}
