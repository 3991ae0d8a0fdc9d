import type { Evidence, Fix } from '../../../shared/answers/diagnosis.ts';
import { formatCount, formatDuration, plural } from '../../../shared/text/units.ts';
import { ownLoadingRanges } from '../../input/loader-ranges.ts';
import { loaderStacks } from '../../stacks/loader-stacks.ts';
import { cpuDemand, FIRST_TRY_AT_MOST, workersThatFit } from '../facts/cpu-demand.ts';
import { blames, CLEARLY } from '../facts/culprit.ts';
import { claimed, evidence, refsTo } from '../facts/evidence.ts';
import type { CostCell, RankFacts } from '../facts/facts.ts';
import { itemParts, sampledStacks } from '../facts/item-parts.ts';
import { isWorthTelling } from '../facts/job-shape.ts';
import { loaderSleep } from '../facts/loader-waits.ts';
import { DOMINANT_SHARE, loaderSamples, makersOf, SAMPLES_AT_LEAST } from '../facts/loader-work.ts';
import { mostSampled } from '../facts/most-sampled.ts';
import { loaderLine } from '../fixes/snippets.ts';
import { debugGuide, pytorchDocs } from '../fixes/sources.ts';
import { idleDevice, waitOf } from '../judging/links.ts';
import { judgeBesideWorkers } from '../judging/loads-beside-workers.ts';
import { loaderEvidence } from '../judging/needs.ts';
import type { Judgement, Rule } from '../rule.ts';

/** With less of it, sleeping is not what loading is about. Our own choice. */
const SLEPT_SHARE = 0.25;

/** As many CPUs most machines with a GPU have. Our own choice. */
const TRY_UNKNOWN = 4;

/** What memory is pinned anew for, a worker would not end (`allocator`). */
const claims = ({ phase, whose, cause }: CostCell) =>
  phase === 'input' && whose === 'main' && cause !== 'allocation';

/** The main process makes the batches itself, one after the other, while the GPU waits: there is no worker, or none for these. */
export const workersZero: Rule = { id: 'workers-zero', needs: [loaderEvidence], judge };

function judge(facts: RankFacts): Judgement | undefined {
  if (facts.workers.length > 0 || facts.rank.generations.length > 0)
    return judgeBesideWorkers(facts);
  const { count, byStage } = loaderSamples(facts);
  const shownRows = [...byStage.item, ...byStage.collate, ...byStage['default-collate']];
  const sleep = loaderSleep(facts);
  // A loop that sleeps in its dataset is hardly ever met on a CPU.
  const named = ownLoadingRanges(facts.trace, facts.rank, facts.window);
  if (count + sleep.rows.length < SAMPLES_AT_LEAST && named.length === 0) return undefined;
  const { ns, events } = claimed(facts.costs, claims);
  if (!isWorthTelling(facts, ns)) return undefined;
  const sampled = evidence(
    `${formatCount(count)} CPU samples of the training process itself were in PyTorch’s loading of batches, and it has no worker`,
    'inferred',
    refsTo('cpu_sample', shownRows, count),
  );
  const shown = named.length > 0 ? namedLoader(named) : sampled;
  const slept = evidence(
    `${plural(sleep.rows.length, 'wait')} of it, ${formatDuration(sleep.ns)} in all, were there too`,
    'exact',
    refsTo('off_cpu', sleep.rows),
  );
  const place = mostSampled(facts.trace, shownRows, loaderStacks(facts.trace).called, CLEARLY);
  return {
    title: `The training process loads the data itself${place === undefined ? '' : `, in ${place}`}`,
    ...blames(place),
    sentence: `There is no DataLoader worker: the training loop made its batches itself, which took ${formatDuration(ns)}.${sleepText(facts, ns)}${partsText(facts, count)}`,
    confidence: 'proven',
    evidence: sleep.rows.length > 0 ? [shown, slept] : [shown],
    hotThreads: makersOf(facts),
    claims,
    gain: { reach: 'waits', cpus: facts.cpus.usable },
    fix: fixFor(facts),
    chain: {
      system: shown,
      host: evidence(waitOf(facts, ns, 'made batches'), 'exact', events),
      cuda: idleDevice(facts, claims),
    },
  };
}

/** PyTorch's profiler names the loader's class, of which there are two. */
function namedLoader(rows: readonly number[]): Evidence {
  return evidence(
    `${plural(rows.length, 'range')} around the loop’s wait for a batch ${rows.length === 1 ? 'has' : 'have'} the name of PyTorch’s loader without workers, _SingleProcessDataLoaderIter`,
    'exact',
    refsTo('range', rows),
  );
}

/**
 * ` Most of that time it slept, mostly in Rows.__getitem__ (data.py:12).`; empty where it hardly did. In words: of the time
 * before it, other findings may count a part.
 */
function sleepText(facts: RankFacts, ns: number): string {
  const sleptNs = Math.min(ns, loaderSleep(facts).ns);
  if (sleptNs < ns * SLEPT_SHARE) return '';
  const lines = facts.hotLines(makersOf(facts)).filter(({ offCpuNs }) => offCpuNs !== undefined);
  const line = lines.find(({ share }) => share >= DOMINANT_SHARE);
  const place = line && `${line.function} (${line.file.replace(/^.*\//, '')}:${line.line})`;
  const much = sleptNs >= ns / 2 ? 'Most' : 'Part';
  return ` ${much} of that time it slept${place === undefined ? '' : `, mostly in ${place}`}.`;
}

/** ` Of its CPU samples in the dataset, 97.0 % were in …`; empty where most of the samples in the loader, of `count`, were elsewhere. */
function partsText(facts: RankFacts, count: number): string {
  const { item } = loaderSamples(facts).byStage;
  if (item.length < count * DOMINANT_SHARE) return '';
  const parts = itemParts(facts.trace, sampledStacks(facts.trace, item));
  return parts === undefined ? '' : ` Of its CPU samples in the dataset, ${parts.text}.`;
}

function fixFor(facts: RankFacts): Fix {
  const { ranks } = cpuDemand(facts);
  const areCpusKnown = facts.cpus.usable > 0;
  const count = areCpusKnown
    ? Math.min(workersThatFit(facts, ranks), FIRST_TRY_AT_MOST)
    : TRY_UNKNOWN;
  const limit = areCpusKnown
    ? ''
    : ' How many CPUs the job may use is not in this trace: take no more workers than it has CPUs.';
  return {
    title: `Set num_workers=${count}`,
    text: `${plural(count, 'worker')} can make the next batches while the GPU works on this one. Then compare with more and fewer.${limit}`,
    before: loaderLine('num_workers=0'),
    after: loaderLine(`num_workers=${count}`),
    language: 'python',
    sources: [
      debugGuide('the default of 0 loads in the training process'),
      pytorchDocs('single- and multi-process data loading', 'docs/stable/data.html'),
    ],
  };
}
