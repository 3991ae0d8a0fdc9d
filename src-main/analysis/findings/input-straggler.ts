import { formatDuration, formatShare } from '../../shared/units.ts';
import { claimed, evidence } from './evidence.ts';
import type { CostCell, RankFacts, SiblingFacts } from './facts.ts';
import { shareText, windowNs } from './job-shape.ts';
import type { Judgement, Rule } from './rule.ts';
import { pytorchDocs, traceMl } from './sources.ts';

/** The rank waits for input at least this many times as long as the middle one of the others: our own choice. */
const TIMES_THE_OTHERS = 2;
/** From this input share of a step on TraceML warns. */
const NOTABLE_SHARE = 0.1;

/** One rank waits for input far longer than the others, which then wait for it. */
export const inputStraggler: Rule = {
  id: 'input-straggler',
  needs: [],
  judge,
};

const isInput = ({ phase }: CostCell) => phase === 'input';

function judge(facts: RankFacts): Judgement | undefined {
  const { rank, split, steps, siblings } = facts;
  const others = siblings.filter(({ ns, steps: count }) => ns > 0 && count > 0);
  if (others.length === 0 || steps.basis === 'none' || steps.count === 0) return undefined;
  const ownNs = split.input / steps.count;
  const middle = middleSibling(others);
  const othersNs = perStepNs(middle);
  if (split.input < windowNs(facts) * NOTABLE_SHARE) return undefined;
  if (ownNs < othersNs * TIMES_THE_OTHERS || isBehind(ownNs, others)) return undefined;
  const cost = claimed(facts.costs, isInput);
  const own = evidence(
    `${rank.label} waits ${formatDuration(ownNs)} a step for input, ${shareText(facts, split.input)} in all`,
    'exact',
    cost.events,
  );
  const theirs = evidence(
    `${middle.label}, the middle one of the other ranks, waits ${formatDuration(othersNs)}`,
    'exact',
  );
  const meanwhile = evidence(waitingText(others), 'exact');
  return {
    title: `${rank.label} waits longest for input`,
    sentence: `${own.text}; ${theirs.text}. Every step ends when the last rank has come, so this one slows all.`,
    confidence: 'likely',
    evidence: [own, theirs, meanwhile],
    claims: isInput,
    gainShare: Math.min(1, Math.max(0, 1 - othersNs / ownNs)),
    fix: {
      title: `Look at the host and the data of ${rank.label} first`,
      text: `The other ranks load the same kind of data in ${formatDuration(othersNs)} a step. Compare its disks, CPUs and neighbours with theirs; then see that each rank has as many, and as large, samples.`,
      before: 'sampler = None\nloader = DataLoader(dataset, batch_size=batch_size, shuffle=True)',
      after: `from torch.utils.data import DistributedSampler

sampler = DistributedSampler(dataset, num_replicas=${others.length + 1}, rank=rank)
loader = DataLoader(dataset, batch_size=batch_size, sampler=sampler)
print(f"rank {rank}: {len(sampler)} of {len(dataset)} samples")`,
      language: 'python',
      sources: [
        traceMl('rank 0 waited 254.5 ms a step, the others 3.8 ms'),
        pytorchDocs('DistributedSampler', 'docs/stable/data.html'),
      ],
    },
    chain: { system: theirs, host: own, cuda: meanwhile },
  };
}

function perStepNs({ split, steps }: SiblingFacts): number {
  return split.input / steps;
}

function middleSibling(others: readonly SiblingFacts[]): SiblingFacts {
  const sorted = others.toSorted((a, b) => perStepNs(a) - perStepNs(b));
  return sorted[Math.floor((sorted.length - 1) / 2)];
}

/** Only the rank that waits longest is the straggler. */
function isBehind(ownNs: number, others: readonly SiblingFacts[]): boolean {
  return others.some((other) => perStepNs(other) > ownNs);
}

function waitingText(others: readonly SiblingFacts[]): string {
  const waiting = others.reduce((sum, { split }) => sum + split.collective, 0);
  const ns = others.reduce((sum, { ns: length }) => sum + length, 0);
  return `The other ranks spent ${formatShare(waiting, ns)} of their time in collectives`;
}
