import type { Fix } from '../../../shared/answers/diagnosis.ts';
import { formatDuration, formatShare } from '../../../shared/text/units.ts';
import { stragglerOf } from '../../steps/straggler.ts';
import { claimed, evidence } from '../facts/evidence.ts';
import type { CostCell, RankFacts, SiblingFacts } from '../facts/facts.ts';
import { shareText } from '../facts/job-shape.ts';
import { traceMl } from '../fixes/sources.ts';
import type { Judgement, Rule } from '../rule.ts';

/** One rank waits for input far longer than the others, which then wait for it. */
export const inputStraggler: Rule = {
  id: 'input-straggler',
  needs: [],
  judge,
};

/**
 * Which rank is slow and what makes its loader slow are two halves of one cause: half of the time is told of here, and
 * half by the rule that names the loader's cause.
 */
const WHO_SHARE = 0.5;

const isInput = ({ phase }: CostCell) => phase === 'input';

function judge(facts: RankFacts): Judgement | undefined {
  const { rank, split, siblings } = facts;
  const others = siblings.filter(({ ns, steps }) => ns > 0 && steps > 0);
  // The verdict's own test, so that the two never disagree.
  const straggler = stragglerOf([ownSteps(facts), ...others.map((other) => stepsOf(facts, other))]);
  if (straggler?.rank !== 0) return undefined;
  const { inputNs: ownNs, othersInputNs: othersNs } = straggler;
  const cost = claimed(facts.costs, isInput);
  const own = evidence(
    `${rank.label} waits ${formatDuration(ownNs)} a step for input, ${shareText(facts, split.input)} in all`,
    'exact',
    cost.events,
  );
  const theirs = evidence(
    `the ${others.length === 1 ? 'other rank waits' : `${others.length} other ranks wait`} ${formatDuration(othersNs)}`,
    'exact',
  );
  const meanwhile = evidence(waitingText(others), 'exact');
  return {
    title: `${rank.label} waits longest for input`,
    sentence: `${own.text}; ${theirs.text}. Every step ends when the last rank has come, so this one slows all.`,
    confidence: 'likely',
    evidence: [own, theirs, meanwhile],
    claims: isInput,
    claimShare: WHO_SHARE,
    gainShare: Math.min(1, Math.max(0, 1 - othersNs / ownNs)),
    fix: fixFor(rank.label, othersNs),
    chain: { system: theirs, host: own, cuda: meanwhile },
  };
}

function fixFor(label: string, othersNs: number): Fix {
  return {
    title: `Look at the host and the data of ${label} first`,
    text: `The other ranks load the same kind of data in ${formatDuration(othersNs)} a step. Compare its disks, CPUs and neighbours with theirs; then see that each rank has as many, and as large, samples. The line that is printed tells the most of it, of each rank.`,
    before: `for batch in your_loader:
    your_step(batch)`,
    after: `import os

cpus, load = len(os.sched_getaffinity(0)), os.getloadavg()[0]
print(f"rank {os.environ.get('RANK', 0)}: {len(your_loader)} batches, {cpus} CPUs, load {load:.1f}")
for batch in your_loader:
    your_step(batch)`,
    language: 'python',
    sources: [traceMl('rank 0 waited 254.5 ms a step, the others 3.8 ms')],
  };
}

type RankSteps = Parameters<typeof stragglerOf>[0][number];

function ownSteps({ rank, steps, unprovenNs }: RankFacts): RankSteps {
  return { label: rank.label, steps, unprovenNs };
}

function stepsOf(
  { steps }: RankFacts,
  { label, split, ns, steps: count, unprovenNs }: SiblingFacts,
): RankSteps {
  return { label, steps: { ...steps, count, total: split, window: [0, ns] }, unprovenNs };
}

function waitingText(others: readonly SiblingFacts[]): string {
  const waiting = others.reduce((sum, { split }) => sum + split.collective, 0);
  const ns = others.reduce((sum, { ns: length }) => sum + length, 0);
  return `The other ranks spent ${formatShare(waiting, ns)} of their time in collectives`;
}
