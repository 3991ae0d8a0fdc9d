import type { Fix } from '../../../shared/answers/diagnosis.ts';
import { NONE } from '../../../shared/model/schema.ts';
import { formatCount, formatDuration, formatShare } from '../../../shared/text/units.ts';
import { SIGN_LOADER, stackSigns } from '../../loop/stack-signs.ts';
import { samplesWithin } from '../../stacks/hot-lines.ts';
import { samplerEntries, samplingFunctions } from '../../stacks/sampler-stacks.ts';
import { blames, CLEARLY } from '../facts/culprit.ts';
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
  const where = parts === undefined ? '' : ` Of the samples of picking, ${parts.text}.`;
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
    fix: fixFor(facts),
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

function fixFor(facts: RankFacts): Fix {
  const loader = `loader = DataLoader(dataset, batch_size=batch_size, sampler=Balanced(weights), ${workersOption(facts)})`;
  return {
    title: 'Pick the order of a whole epoch at once',
    text: 'Draw all indices of an epoch in one call of PyTorch or NumPy, and let the sampler only hand them out. Compute what an order depends on, such as lengths or weights, once, before the first epoch. Where the choice has to follow the training, draw it for many batches at a time, in a thread or beside the GPU’s work.',
    before: `class Balanced(Sampler):
    def __init__(self, shares):
        self.shares = shares

    def __len__(self):
        return len(self.shares)

    def __iter__(self):
        for _ in self.shares:
            yield random.choices(range(len(self.shares)), self.shares)[0]  # adds all weights up, for one sample

${loader}`,
    after: `class Balanced(Sampler):
    def __init__(self, shares):
        self.shares = torch.tensor(shares)

    def __len__(self):
        return len(self.shares)

    def __iter__(self):
        return iter(torch.multinomial(self.shares, len(self), replacement=True).tolist())  # once an epoch

${loader}`,
    language: 'python',
    sources: [
      pytorchIssue(32221, 'a sampler that draws without replacement is slow'),
      pytorchDocs(
        'Data loading order and Sampler',
        'docs/stable/data.html#data-loading-order-and-sampler',
      ),
    ],
  };
}
