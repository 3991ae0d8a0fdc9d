import type { Fix } from '../../../shared/answers/diagnosis.ts';
import type { TimeSpan } from '../../../shared/answers/summary.ts';
import { upperBound } from '../../../shared/numbers/bisect.ts';
import { formatCount, formatDuration, formatShare } from '../../../shared/text/units.ts';
import { claimed, evidence } from '../facts/evidence.ts';
import type { RankFacts, WorkerFacts } from '../facts/facts.ts';
import { isWorthTelling, workersAtOnce } from '../facts/job-shape.ts';
import { inputCell, production } from '../facts/loader-work.ts';
import { unevenWorkers } from '../facts/uneven-workers.ts';
import { loaderLine } from '../fixes/snippets.ts';
import { pytorchDocs } from '../fixes/sources.ts';
import { slowestSamples } from '../judging/leaves-open.ts';
import { idleDevice, waitOf } from '../judging/links.ts';
import { completeSwitches, wakers } from '../judging/needs.ts';
import type { Judgement, Rule } from '../rule.ts';

/** Of a wait, and of the time of all waits that are looked at. Our own choice. */
const MOST = 0.5;
/** Of the workers that live at a wait, the one that makes the batch included. */
const WORKERS_AT_LEAST = 2;

const claims = inputCell('worker', 'running', 'sleeping', 'disk', 'lock');

/** The next batch in order is late while other workers have finished all of theirs. */
export const headOfLine: Rule = {
  id: 'head-of-line',
  needs: [completeSwitches, wakers],
  leavesOpen: slowestSamples,
  judge,
};

function judge(facts: RankFacts): Judgement | undefined {
  // Workers without a share of the data have nothing to do either, and are held back by nobody.
  if (unevenWorkers(facts).length > 0) return undefined;
  if (isTooSlowInAnyOrder(facts)) return undefined;
  const spans = waits(facts);
  const held = spans.filter((span) => isHeldBack(facts, span));
  const [heldNs, lookedAtNs] = [lengthOf(held), lengthOf(spans)];
  if (held.length === 0 || heldNs < lookedAtNs * MOST) return undefined;
  const { ns, events } = claimed(facts.costs, claims);
  // Where a batch is late for want of a CPU, its samples are not to blame.
  const all = claimed(facts.costs, ({ phase, whose }) => phase === 'input' && whose === 'worker');
  if (ns < all.ns * MOST) return undefined;
  if (!isWorthTelling(facts, ns)) return undefined;
  const text = `For ${formatShare(heldNs, lookedAtNs)} of the time of the ${formatCount(spans.length)} longest waits for a batch, at least half of the other workers had finished all they were asked for`;
  return {
    title: 'One late batch holds back those of the other workers',
    sentence: `${text}. DataLoader hands out batches in order, so theirs had to wait: the training loop waited ${formatDuration(ns)} for workers.`,
    confidence: 'likely',
    evidence: [evidence(text, 'exact', events)],
    claims,
    gain: { reach: 'waits' },
    fix: fixFor(facts),
    chain: {
      system: evidence(
        `One worker made the next batch while others had nothing to do, in ${formatCount(held.length)} of ${formatCount(spans.length)} waits`,
        'exact',
      ),
      host: evidence(waitOf(facts, ns, 'waited for the next batch in order'), 'exact', events),
      cuda: idleDevice(facts, claims),
    },
  };
}

/** Whether the workers together need longer for a batch than the loop does without its waits for input. */
function isTooSlowInAnyOrder(facts: RankFacts): boolean {
  const { steps, split, window } = facts;
  const { ns, batches } = production(facts);
  if (batches === 0 || steps.count === 0) return false;
  const madeNs = ns / batches / workersAtOnce(facts);
  const ownNs = (window[1] - window[0] - split.input) / steps.count;
  return madeNs > ownNs;
}

/** The longest waits, each once, whatever causes it is split into. */
function waits({ costs }: RankFacts): TimeSpan[] {
  const byStart = new Map<number, TimeSpan>();
  for (const { spans } of costs.filter(claims))
    for (const span of spans) byStart.set(span[0], span);
  return [...byStart.values()];
}

/** Whether, for most of the wait, at least half of the workers of one loader but one were done with all of theirs. */
function isHeldBack({ workers, generations }: RankFacts, span: TimeSpan): boolean {
  const alive = workers.filter(({ window }) => window[0] <= span[0] && window[1] >= span[1]);
  // Another loader's workers may have nothing to do all the same.
  const byLoader = Map.groupBy(alive, ({ generation }) => generations[generation]?.loader ?? 0);
  return [...byLoader.values()].some((own) => isOneLate(own, span, byLoader.size > 1));
}

/** Of several loaders, `isOneOfSeveral`, it need not be this one's batch that is waited for: one of its workers has to be at work. */
function isOneLate(own: readonly WorkerFacts[], span: TimeSpan, isOneOfSeveral: boolean): boolean {
  if (own.length < WORKERS_AT_LEAST) return false;
  const idle = own.filter((worker) => idleNs(worker, span) >= (span[1] - span[0]) * MOST);
  if (isOneOfSeveral && idle.length === own.length) return false;
  return idle.length > 0 && idle.length >= (own.length - 1) * MOST;
}

function idleNs({ idle }: WorkerFacts, [startNs, endNs]: TimeSpan): number {
  if (idle === undefined) return 0;
  let sum = 0;
  for (let at = upperBound(idle.endsNs, startNs); idle.startsNs[at] < endNs; at++)
    sum += Math.min(idle.endsNs[at], endNs) - Math.max(idle.startsNs[at], startNs);
  return sum;
}

function lengthOf(spans: readonly TimeSpan[]): number {
  return spans.reduce((sum, [startNs, endNs]) => sum + endNs - startNs, 0);
}

function fixFor(facts: RankFacts): Fix {
  const workers = `num_workers=${workersAtOnce(facts)}`;
  return {
    title: 'Make all samples take about as long, or take batches as they finish',
    text: 'Find the samples that take long and make them cheaper ahead of training, or spread them over batches. From PyTorch 2.6 on, in_order=False hands out whatever batch is finished; then the order is no longer the same in every run.',
    before: loaderLine(workers),
    after: `version = tuple(int(part) for part in torch.__version__.split(".")[:2])
in_order = {"in_order": False} if version >= (2, 6) else {}  # another order in every run
${loaderLine(`${workers}, **in_order`)}`,
    language: 'python',
    sources: [
      pytorchDocs('DataLoader, in_order', 'docs/stable/data.html#torch.utils.data.DataLoader'),
    ],
  };
}
