import { lowerFirst } from '../../shared/text/text.ts';
import { formatShare } from '../../shared/text/units.ts';
import { productionCycles } from '../chain/production-cycles.ts';
import type { Claim } from './claim-costs.ts';
import type { CostCell, RankFacts } from './facts/facts.ts';

/** Below this share of the input wait its causes are known well enough. Our own choice. */
const MOSTLY_UNKNOWN = 0.5;

const isUnknown = ({ phase, cause }: CostCell) => phase === 'input' && cause === 'unknown';

const nsOf = (cells: readonly CostCell[]) => cells.reduce((sum, cell) => sum + cell.ns, 0);

/**
 * One sentence where most of the input wait has no known cause, and why; undefined where it has, or where
 * what is not known is less than what `atLeastNs` of a finding explains. What a finding claims is explained
 * by it, whatever the threads did.
 */
export function unknownInput(
  facts: RankFacts,
  atLeastNs: number,
  claims: readonly Pick<Claim, 'cells'>[] = [],
): string | undefined {
  const cells = facts.costs.filter(isUnknown);
  const ns = nsOf(cells) - nsOf(claims.flatMap((claim) => claim.cells).filter(isUnknown));
  const inputNs = facts.split.input;
  if (ns < atLeastNs || ns < inputNs * MOSTLY_UNKNOWN || ns === 0) return undefined;
  const lengthNs = facts.window[1] - facts.window[0];
  const of = formatShare(inputNs, lengthNs);
  const all = formatShare(ns, lengthNs);
  const sentence =
    all === of
      ? `The loop waits for input for ${of} of its time, and why is not known`
      : `Of the ${of} of its time in which the loop waits for input, ${all.replace(/\s?%$/, '')} points have no known cause`;
  return `${sentence}: ${lowerFirst(whyUnknown(facts, cells))}`;
}

function whyUnknown({ trace, rank }: RankFacts, cells: readonly CostCell[]): string {
  const largest = cells.reduce((most, cell) => (cell.ns > most.ns ? cell : most));
  if (largest.whose === 'main')
    return trace.tables.off_cpu.rows === 0
      ? 'When threads left the CPU is not in this trace.'
      : 'Who ended these waits is not in this trace.';
  const workers = rank.generations.flatMap((generation) => generation.workers);
  const notes = workers
    .map((process) => productionCycles(trace, rank, process))
    .filter(({ basis }) => basis === 'unknown')
    .map(({ note }) => note);
  return notes[0] ?? 'Which batch ended these waits is not in this trace.';
}
