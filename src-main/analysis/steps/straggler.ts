import type { Severity } from '../../shared/answers/diagnosis.ts';
import type { StepSummary } from '../../shared/answers/steps.ts';
import { midpoint } from '../../shared/numbers/percentile.ts';
import { formatDuration, formatShare } from '../../shared/text/units.ts';
import { CRITICAL_SHARE, WARN_SHARE } from './verdict-input.ts';

/** A rank that keeps the others waiting because it waits for input. */
export interface Straggler {
  /** Index into the ranks. */
  readonly rank: number;
  readonly severity: Severity;
  readonly sentence: string;
  /** Mean input wait of a step, of the straggler and of the middle of the others, ns. */
  readonly inputNs: number;
  readonly othersInputNs: number;
}

interface RankSteps {
  readonly label: string;
  readonly steps: StepSummary;
  /** Of its other time, ns in which it seems to have waited for other ranks: no work of its own. */
  readonly unprovenNs: number;
}

/** So much of what the rank does longer than the others must be input. */
const CAUSE_SHARE = 0.8;

/**
 * INPUT STRAGGLER, as TraceML (final summary 1.7) has it: one rank takes so much longer over its own
 * work that the others lose 10 % of their step waiting for it, 20 % is critical, and at least 80 % of
 * that is input. Own work is a mean step without its CUDA calls but copies to the device, and without what
 * seems to be a wait for the others: where ranks wait for each other, they do so in those. `undefined` with fewer than two ranks with steps.
 */
export function stragglerOf(ranks: readonly RankSteps[]): Straggler | undefined {
  const known = ranks.flatMap((rank, index) => (rank.steps.count > 0 ? [{ ...rank, index }] : []));
  if (known.length < 2) return undefined;
  const slowest = known.reduce((most, rank) => (ownNs(rank) > ownNs(most) ? rank : most));
  const others = known.filter((rank) => rank !== slowest);
  const lateNs = ownNs(slowest) - midpoint(others.map(ownNs));
  const inputNs = meanNs(slowest, slowest.steps.total.input);
  const othersInputNs = midpoint(others.map((rank) => meanNs(rank, rank.steps.total.input)));
  const stepNs = midpoint(others.map((rank) => meanNs(rank, lengthNs(rank))));
  const share = lateNs / stepNs;
  if (!(share >= WARN_SHARE) || inputNs - othersInputNs < CAUSE_SHARE * lateNs) return undefined;
  const sentence = `${waitsText(slowest, others, inputNs, othersInputNs)}: they lose up to ${formatShare(lateNs, stepNs)} of their time waiting for it.`;
  const severity = share >= CRITICAL_SHARE ? 'high' : 'medium';
  return { rank: slowest.index, severity, sentence, inputNs, othersInputNs };
}

/**
 * In the typical step, as TraceML tells it: the middle one. Where the wait is that of few steps, the middle one says nothing
 * of it, and the mean is told as such.
 */
function waitsText(
  { label, steps: { typical } }: RankSteps,
  others: readonly RankSteps[],
  meanNs: number,
  othersMeanNs: number,
): string {
  const typicalNs = typical?.input ?? 0;
  const othersTypicalNs = midpoint(others.map(({ steps }) => steps.typical?.input ?? 0));
  const isTypical = typicalNs - othersTypicalNs >= (meanNs - othersMeanNs) / 2;
  const some = typical === undefined ? '' : ', long in some steps only';
  return isTypical
    ? `${label} waits ${formatDuration(typicalNs)} for input in the typical step, the other ranks ${formatDuration(othersTypicalNs)}`
    : `${label} waits ${formatDuration(meanNs)} a step for input on average${some}, the other ranks ${formatDuration(othersMeanNs)}`;
}

function ownNs(rank: RankSteps): number {
  const { input, h2d, other } = rank.steps.total;
  return meanNs(rank, input + h2d + Math.max(0, other - rank.unprovenNs));
}

function lengthNs({ steps }: RankSteps): number {
  return steps.window[1] - steps.window[0];
}

function meanNs({ steps }: RankSteps, ns: number): number {
  return ns / steps.count;
}
