import type { Fix } from '../../../shared/answers/diagnosis.ts';
import { formatCount, formatDuration, plural } from '../../../shared/text/units.ts';
import { cpuDemand, FIRST_TRY_AT_MOST, workersThatFit } from '../facts/cpu-demand.ts';
import { claimed, evidence, refsTo } from '../facts/evidence.ts';
import type { CostCell, RankFacts } from '../facts/facts.ts';
import { isWorthTelling } from '../facts/job-shape.ts';
import { idleDevice, waitOf } from '../facts/links.ts';
import { loaderSamples, makersOf, SAMPLES_AT_LEAST } from '../facts/loader-work.ts';
import { pythonSamples } from '../facts/needs.ts';
import type { Judgement, Rule } from '../facts/rule.ts';
import { loaderLine } from '../facts/snippets.ts';
import { debugGuide, pytorchDocs } from '../facts/sources.ts';

const claims = ({ phase, whose }: CostCell) => phase === 'input' && whose === 'main';

/** The main process makes the batches itself, one after the other, while the GPU waits. */
export const workersZero: Rule = { id: 'workers-zero', needs: [pythonSamples], judge };

function judge(facts: RankFacts): Judgement | undefined {
  if (facts.workers.length > 0 || facts.rank.generations.length > 0) return undefined;
  const { count, byStage } = loaderSamples(facts);
  const shownRows = [...byStage.item, ...byStage.collate, ...byStage['default-collate']];
  if (count < SAMPLES_AT_LEAST) return undefined;
  const { ns, events } = claimed(facts.costs, claims);
  if (!isWorthTelling(facts, ns)) return undefined;
  const shown = evidence(
    `${formatCount(count)} CPU samples of the training process itself were in PyTorch’s loading of batches, and it has no worker`,
    'inferred',
    refsTo('cpu_sample', shownRows, count),
  );
  return {
    title: 'The training process loads the data itself',
    sentence: `There is no DataLoader worker: the training loop made its batches itself, which took ${formatDuration(ns)}.`,
    confidence: 'proven',
    evidence: [shown],
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

function fixFor(facts: RankFacts): Fix {
  const { ranks } = cpuDemand(facts);
  const count =
    facts.cpus.usable > 0 ? Math.min(workersThatFit(facts, ranks), FIRST_TRY_AT_MOST) : 1;
  return {
    title: `Set num_workers=${count}`,
    text: `${plural(count, 'worker')} can make the next batches while the GPU works on this one. Then compare with more and fewer.`,
    before: loaderLine('num_workers=0'),
    after: loaderLine(`num_workers=${count}`),
    language: 'python',
    sources: [
      debugGuide('the default of 0 loads in the training process'),
      pytorchDocs('single- and multi-process data loading', 'docs/stable/data.html'),
    ],
  };
}
