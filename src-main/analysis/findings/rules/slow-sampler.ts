import type { Fix } from '../../../shared/answers/diagnosis.ts';
import { NONE } from '../../../shared/model/schema.ts';
import { bitsOfStacks } from '../../../shared/model/stacks.ts';
import type { Trace } from '../../../shared/model/trace.ts';
import { formatCount, formatDuration, formatShare } from '../../../shared/text/units.ts';
import { SIGN_LOADER, stackSigns } from '../../loop/stack-signs.ts';
import { samplesWithin } from '../../stacks/hot-lines.ts';
import { samplerEntries, samplingFunctions } from '../../stacks/sampler-stacks.ts';
import { blames, CLEARLY, functionOf } from '../facts/culprit.ts';
import { evidence, partlyClaimed, refsTo } from '../facts/evidence.ts';
import type { RankFacts } from '../facts/facts.ts';
import { itemParts, sampledStacks } from '../facts/item-parts.ts';
import { isWorthTelling, workersOption } from '../facts/job-shape.ts';
import { DOMINANT_SHARE, inputCell, SAMPLES_AT_LEAST } from '../facts/loader-work.ts';
import { mostSampled } from '../facts/most-sampled.ts';
import { pytorchDocs, pytorchIssue } from '../fixes/sources.ts';
import { idleDevice, waitOf } from '../judging/links.ts';
import { pythonSamples } from '../judging/needs.ts';
import type { Judgement, Rule } from '../rule.ts';

/**
 * The training process itself picks the samples of each batch, between two steps, however many workers there are. A sampler
 * that calculates for each batch is time of the loop that no worker can take over.
 */
export const slowSampler: Rule = { id: 'slow-sampler', needs: [pythonSamples], judge };

/** What the training process did itself to have a batch. */
const claims = inputCell('main', 'running', 'fault');

function judge(facts: RankFacts): Judgement | undefined {
  const { all, picking } = loaderSamplesOfMain(facts);
  if (all < SAMPLES_AT_LEAST || picking.length < all * DOMINANT_SHARE) return undefined;
  const share = picking.length / all;
  const { ns, events } = partlyClaimed(facts.costs, claims, () => share);
  if (!isWorthTelling(facts, ns)) return undefined;
  const place = mostSampled(facts.trace, picking, samplingFunctions(facts.trace), CLEARLY);
  const entry = mostSampled(facts.trace, picking, samplerEntries(facts.trace), CLEARLY);
  const shown = evidence(
    `${formatCount(picking.length)} of ${formatCount(all)} CPU samples of the training thread in the loader were in its sampler${place === undefined ? '' : `, most of them in ${place}`}`,
    'inferred',
    refsTo('cpu_sample', picking),
  );
  const parts = itemParts(
    facts.trace,
    sampledStacks(facts.trace, picking),
    samplerEntries(facts.trace),
  );
  const where = parts === undefined ? '' : ` Of its CPU samples there, ${parts.text}.`;
  return {
    title: `Picking the samples of a batch takes long${place === undefined ? '' : `, in ${place}`}`,
    ...blames(place),
    sentence: `The training process runs the sampler itself, between two steps, whether there are workers or not. The training loop waited ${formatDuration(ns)} for it: ${formatShare(picking.length, all)} of its CPU time in the loader.${where}`,
    confidence: 'likely',
    evidence: [shown],
    hotThreads: [facts.rank.mainThread],
    claims,
    claimPart: () => share,
    gain: { reach: 'waits' },
    fix: fixFor(facts, picking, entry, place),
    chain: {
      system: shown,
      host: evidence(waitOf(facts, ns, 'picked the samples of batches'), 'exact', events),
      cuda: idleDevice(facts, claims),
    },
  };
}

/** CPU samples of the training thread in the loader, and those of them in the sampler. */
function loaderSamplesOfMain({ trace, rank, window }: RankFacts) {
  const { stack: stacks } = trace.tables.cpu_sample.columns;
  const { signs } = stackSigns(trace);
  const picks = samplingFunctions(trace);
  const picking: number[] = [];
  let all = 0;
  for (const row of samplesWithin(trace, rank.mainThread, window)) {
    const stack = stacks?.[row] ?? NONE;
    if (signs[stack] !== SIGN_LOADER) continue;
    all++;
    if (picks[stack] !== NONE) picking.push(row);
  }
  return { all, picking };
}

/** A function that draws at random, by weights or not: of `random`, NumPy or PyTorch. */
const DRAWS = /(^|[._])(choices?|multinomial)(_|$)/;

/** Whether at least half of `picking`, samples in the sampler, were in one that draws. */
function isDrawing({ stacks, tables }: Trace, picking: readonly number[]): boolean {
  const { stack } = tables.cpu_sample.columns;
  const isIn = bitsOfStacks(stacks, ({ symbol }) => Number(DRAWS.test(symbol)));
  const drawn = picking.filter((row) => isIn[stack?.[row] ?? NONE] === 1);
  return drawn.length * 2 >= picking.length;
}

/** What PyTorch itself puts around a sampler that gives one index at a time. */
const TORCH_BATCHES = /^BatchSampler\..*\(sampler\.py\b/;

/** `entry`: what the loader asks for the next batch; `place`: where the time goes. */
function fixFor(
  facts: RankFacts,
  picking: readonly number[],
  entry: string | undefined,
  place: string | undefined,
): Fix {
  const isOfTorch = entry !== undefined && /\(sampler\.py\b/.test(place ?? entry);
  if (!isOfTorch && isDrawing(facts.trace, picking)) return drawFix(facts);
  const isByOne = TORCH_BATCHES.test(entry ?? '');
  return aheadFix(facts, isByOne, place === undefined ? 'the sampler' : functionOf(place));
}

/** The job's own order, by the job's own sampler: a process has it ready. `isByOne`: it gives indices, not batches. */
function aheadFix(facts: RankFacts, isByOne: boolean, name: string): Fix {
  const loaderOf = (batches: string) =>
    `loader = DataLoader(your_dataset, batch_sampler=${batches}, ${workersOption(facts)}, **your_options)`;
  const byOne = `loader = DataLoader(your_dataset, batch_size=your_batch_size, sampler=your_sampler, ${workersOption(facts)}, **your_options)`;
  const batches = `from torch.utils.data import BatchSampler

batch_sampler = BatchSampler(your_sampler, your_batch_size, drop_last=False)  # as the loader does`;
  const order = isByOne ? 'batch_sampler' : 'your_batch_sampler';
  return {
    title: `Let ${name} run ahead, in a process of its own`,
    text: 'What the model trains on stays the same, and so does its order: your sampler goes on as it is, but a process of its own runs it, some batches ahead, and the training loop only fetches what is ready. Start it before the GPU is used. A loop that leaves an epoch early finds the rest of that epoch next. Where your loader has sampler= and batch_size=None, put Picked() in the place of that sampler. Where the order is the same in every epoch, list() of the sampler once, before training, is enough. Where each rank works out the order of all ranks, let one do it for all. Where this process still is slower than the training, the sampler itself has to do less.',
    before: `${isByOne ? byOne : loaderOf('your_batch_sampler')}
for epoch in range(your_epochs):
    for batch in loader:  # asks the sampler between two steps
        pass`,
    after: `import multiprocessing
${isByOne ? `${batches}\n` : ''}
def pick(picked):
    for epoch in range(your_epochs):
        for batch in ${order}:  # set_epoch(epoch) first, where it has that
            picked.put(batch)
        picked.put(None)  # the end of the epoch

class Picked:
    def __iter__(self):
        while (batch := picked.get()) is not None:
            yield batch

    def __len__(self):
        return len(${order})

picked = multiprocessing.Queue(1000)  # so many batches ahead
multiprocessing.Process(target=pick, args=(picked,), daemon=True).start()
${loaderOf('Picked()')}`,
    language: 'python',
    sources: [samplerDocs],
  };
}

const samplerDocs = pytorchDocs(
  'Data loading order and Sampler',
  'docs/stable/data.html#data-loading-order-and-sampler',
);

function drawFix(facts: RankFacts): Fix {
  const loaderOf = (sampler: string) =>
    `loader = DataLoader(your_dataset, batch_size=your_batch_size, sampler=${sampler}, ${workersOption(facts)}, **your_options)`;
  return {
    title: 'Draw the order of a whole epoch at once',
    text: 'Draw all indices of an epoch in one call of PyTorch or NumPy, and let the sampler only hand them out. Draw as your sampler does, with or without putting back: what the model trains on stays the same. Compute the weights once, before the first epoch. Where they have to follow the training, draw for many batches at a time.',
    before: `import random
from torch.utils.data import Sampler

class Balanced(Sampler):
    def __len__(self):
        return len(your_weights)

    def __iter__(self):
        for _ in your_weights:
            yield random.choices(range(len(your_weights)), your_weights)[0]  # adds all weights up, for one sample

${loaderOf('Balanced(None)')}`,
    after: `from torch.utils.data import WeightedRandomSampler

drawn = WeightedRandomSampler(your_weights, len(your_weights), replacement=True)  # False where yours puts nothing back
${loaderOf('drawn')}`,
    language: 'python',
    sources: [pytorchIssue(32221, 'a sampler that draws without replacement is slow'), samplerDocs],
  };
}
