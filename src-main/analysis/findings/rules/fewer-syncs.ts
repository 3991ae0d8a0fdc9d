import type { Fix } from '../../../shared/answers/diagnosis.ts';
import { formatDuration, plural } from '../../../shared/text/units.ts';
import { isH2d } from '../../loop/loop-calls.ts';
import { callSites } from '../facts/call-site.ts';
import { blames } from '../facts/culprit.ts';
import { claimed, evidence, refsTo } from '../facts/evidence.ts';
import type { CostCell, RankFacts } from '../facts/facts.ts';
import { unevenText } from '../facts/how-often.ts';
import { isWorthTelling, shareText } from '../facts/job-shape.ts';
import { windowCalls } from '../facts/window-calls.ts';
import { pytorchDocs } from '../fixes/sources.ts';
import type { Judgement, Rule } from '../rule.ts';

/** A loop that reads its loss and copies its batch syncs once or twice a step: our own choice. */
const MIN_PER_STEP = 5;
const SITES_NAMED = 3;

/**
 * The loop waits for the GPU many times a step. Without the GPU's own records what that costs cannot be
 * told from the waiting that one sync would do for all of them, so the finding claims no time. With them
 * it costs the time in which the GPU had run dry after such a wait.
 */
export const fewerSyncs: Rule = {
  id: 'fewer-syncs',
  needs: [],
  judge,
};

function judge(facts: RankFacts): Judgement | undefined {
  const { steps, trace } = facts;
  if (steps.basis === 'none' || steps.count === 0) return undefined;
  const { syncs, ns } = syncsOf(facts);
  const perStep = syncs.length / steps.count;
  if (perStep < MIN_PER_STEP) return undefined;
  const events = refsTo('cuda_call', syncs);
  const repeats = facts.rowsRepeat(trace.tables.cuda_call.columns.startNs, syncs);
  const counted = evidence(
    `The training loop waits for the GPU ${perStep.toFixed(0)} times a step${unevenText(repeats)}`,
    'exact',
    events,
  );
  const took = evidence(
    `${plural(syncs.length, 'sync')} took ${shareText(facts, ns)}, ${formatDuration(ns / syncs.length)} each on average`,
    'exact',
    events,
  );
  const dry = ranDry(facts);
  const { sites, main } = callSites(trace, syncs);
  const named = sites
    .slice(0, SITES_NAMED)
    .map(({ place, count }) =>
      evidence(`${place} makes ${(count / steps.count).toFixed(1)} of them a step`, 'exact'),
    );
  const where = main === undefined ? '' : `, most of them in ${main.place}`;
  return {
    title: `The loop waits for the GPU many times a step${main === undefined ? '' : `, in ${main.place}`}`,
    ...blames(main?.place),
    sentence: `${counted.text}${where}. After each the GPU has nothing to do until the next work comes.`,
    confidence: dry === undefined ? 'likely' : 'proven',
    evidence: [counted, took, ...(dry === undefined ? [] : [dry.idle]), ...named],
    ...(dry !== undefined && {
      claims: isDrained,
      // One wait a step is left, and what host and GPU do beside each other takes as long as the longer.
      gainShare: dry.hiddenShare * (1 - 1 / perStep),
    }),
    fix: fixFor(perStep, where),
    chain: { system: named[0] ?? counted, host: took, cuda: dry?.idle ?? counted },
  };
}

const isDrained = ({ cause }: CostCell) => cause === 'drained';

/** How long the GPU had nothing to do after waits, and which share of it GPU work of that length can fill. */
function ranDry(facts: RankFacts) {
  const cost = claimed(facts.costs, isDrained);
  const computingNs = facts.starvation.recorded?.all.computingNs ?? 0;
  if (!isWorthTelling(facts, cost.ns)) return undefined;
  const idle = evidence(
    `The GPU was idle for ${shareText(facts, cost.ns)} from the end of what was waited for to its next work`,
    'exact',
    cost.events,
  );
  return { idle, hiddenShare: Math.min(1, computingNs / cost.ns) };
}

function fixFor(perStep: number, where: string): Fix {
  return {
    title: `Wait once a step instead of ${perStep.toFixed(0)} times`,
    text: `Every .item(), .cpu(), print of a tensor and \`if\` on one waits for all work before it${where}. Keep such values on the GPU, and read them together, once a step or less often.`,
    before: `for batch in your_loader:
    loss = your_step(batch)
    your_use_of(loss.item())  # waits for the GPU`,
    after: `kept = []
for batch in your_loader:
    kept.append(your_step(batch).detach())  # stays on the GPU
    if len(kept) == 50:  # one wait for fifty steps
        for value in torch.stack(kept).tolist():
            your_use_of(value)
        kept = []
for value in (torch.stack(kept).tolist() if kept else []):  # the rest, in the same order
    your_use_of(value)`,
    language: 'python',
    sources: [
      pytorchDocs(
        'Avoid unnecessary CPU-GPU synchronization',
        'tutorials/recipes/recipes/tuning_guide.html',
      ),
    ],
  };
}

/** Syncs of the loop, without those that only end a copy to the GPU: they are the copy's. */
function syncsOf(facts: RankFacts): { syncs: number[]; ns: number } {
  const { columns } = facts.trace.tables.cuda_call;
  const calls = windowCalls(facts);
  const syncs: number[] = [];
  const isAfterCopy = new Map<number, boolean>();
  let ns = 0;
  for (const row of calls.rows) {
    const thread = columns.thread[row];
    const waits = calls.kindOf(row) === 'sync';
    if (waits && isAfterCopy.get(thread) !== true) {
      syncs.push(row);
      ns += columns.durationNs[row];
    }
    isAfterCopy.set(thread, isH2d(facts.trace, row));
  }
  return { syncs, ns };
}
