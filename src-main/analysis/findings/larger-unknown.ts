import { lowerFirst } from '../../shared/text/text.ts';
import { formatShare } from '../../shared/text/units.ts';
import { phaseLabel } from '../../shared/words/phase-rows.ts';
import type { Claim } from './claim-costs.ts';
import type { CostCell, RankFacts } from './facts/facts.ts';

/** Of the loop’s own time, what is in no known state: in calls for the GPU that would be no wonder. */
const isUnknown = ({ phase, cause }: CostCell) => phase === 'other' && cause === 'unknown';

/**
 * One sentence where the loop’s own time of which it is not known whether the thread ran or waited is more than the
 * costliest finding explains, `atLeastNs`; with how long the GPU was idle in it, which tells what it matters.
 */
export function largerUnknown(
  facts: RankFacts,
  atLeastNs: number,
  claims: readonly Pick<Claim, 'cells'>[],
): string | undefined {
  const all = facts.costs.filter(isUnknown);
  const claimed = claims.flatMap(({ cells }) => cells).filter(isUnknown);
  const left = (of: (cell: CostCell) => number) => sum(all, of) - sum(claimed, of);
  const ns = left((cell) => cell.ns);
  if (atLeastNs <= 0 || ns <= atLeastNs) return undefined;
  const share = (part: number) => formatShare(part, facts.window[1] - facts.window[0]);
  const idle = all.some(({ starvedNs }) => starvedNs < 0)
    ? ''
    : `; the GPU had nothing to do for ${share(left(({ starvedNs }) => starvedNs))} meanwhile`;
  return `A larger part, ${share(ns)} of the time, has no known cause (${lowerFirst(phaseLabel('other', facts))}): whether the thread ran or waited then is not in this trace${idle}.`;
}

const sum = (cells: readonly CostCell[], of: (cell: CostCell) => number) =>
  cells.reduce((total, cell) => total + of(cell), 0);
