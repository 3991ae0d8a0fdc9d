import type { Fix } from '../../../shared/answers/diagnosis.ts';
import { formatCount, formatDuration, formatShare } from '../../../shared/text/units.ts';
import { sureShare } from '../../input/assumed-stretch.ts';
import { loaderStacks } from '../../stacks/loader-stacks.ts';
import { crowdingOf, withCrowding } from '../facts/crowding.ts';
import { blamedIn, CLEARLY } from '../facts/culprit.ts';
import { claimed, evidence, refsTo } from '../facts/evidence.ts';
import type { CostCell, RankFacts } from '../facts/facts.ts';
import { makingGrowth } from '../facts/growth.ts';
import { isWorthTelling, workersAtOnce } from '../facts/job-shape.ts';
import {
  DOMINANT_SHARE,
  loaderSamples,
  makersOf,
  production,
  SAMPLES_AT_LEAST,
} from '../facts/loader-work.ts';
import { mostSampled } from '../facts/most-sampled.ts';
import { inputWaitOfMaking } from '../facts/sampled-making.ts';
import type { Judgement } from '../rule.ts';
import { idleDevice, waitOf } from './links.ts';

/** A kind of work that the CPU samples of making batches show. */
interface WorkKind {
  readonly title: string;
  /** Of the samples in the loader: rows of cpu_sample. */
  readonly samples: readonly number[];
  /** `in the job’s own collate_fn`. */
  readonly where: string;
  readonly claims: (cell: CostCell) => boolean;
  /** `tile (train.py:12)`: the function that has the time, where what the loader called calls it. */
  readonly inner?: string | undefined;
  readonly fix: Fix;
}

/** The judgement, where that kind is most of the work and the loop waited for it. */
export function judgeSampled(facts: RankFacts, work: WorkKind): Judgement | undefined {
  const { count } = loaderSamples(facts);
  if (count < SAMPLES_AT_LEAST || work.samples.length < count * DOMINANT_SHARE) return undefined;
  const seen = inputWaitOfMaking(facts);
  const making = seen?.claims ?? work.claims;
  const { ns, events } = claimed(facts.costs, making);
  const crowding = crowdingOf(facts, seen === undefined ? work.samples : []);
  if (!isWorthTelling(facts, ns + crowding.ns)) return undefined;
  const entry = mostSampled(facts.trace, work.samples, loaderStacks(facts.trace).called, CLEARLY);
  const shown = evidence(
    `${formatCount(work.samples.length)} of ${formatCount(count)} CPU samples of making batches were ${work.where}`,
    'inferred',
    refsTo('cpu_sample', work.samples),
  );
  return {
    ...blamedIn(work.title, { entry, inner: work.inner }),
    ...(entry !== undefined && { place: entry }),
    sentence: `${formatShare(work.samples.length, count)} of the CPU time of making batches was spent ${work.where}. The training loop waited ${formatDuration(ns + crowding.ns)} for ${seen === undefined ? `batches that were being made${crowding.ofItText}` : 'input meanwhile'}.`,
    confidence: 'likely',
    evidence: [shown],
    ...(seen === undefined && { growth: makingGrowth(facts, work.inner ?? entry ?? 'it') }),
    hotThreads: makersOf(facts),
    ...withCrowding(making, crowding, crowding.ofItText),
    gain: { reach: 'waits', floorNs: restNs(facts, work.samples.length, count) },
    fix: work.fix,
    chain: {
      system: shown,
      host:
        seen === undefined
          ? evidence(waitOf(facts, ns, 'waited for batches still being made'), 'exact', events)
          : evidence(waitOf(facts, ns, 'waited for input'), 'inferred', events),
      cuda: idleDevice(facts, making),
    },
  };
}

/** What the rest of the making of batches takes the workers at least: batches come no more often. */
function restNs(facts: RankFacts, samples: number, all: number): number {
  const { running } = production(facts).byCause;
  return (sureShare(all - samples, all) * running) / Math.max(1, workersAtOnce(facts));
}
