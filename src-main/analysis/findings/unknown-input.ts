import { lowerFirst } from '../../shared/text/text.ts';
import { formatShare } from '../../shared/text/units.ts';
import { productionCycles } from '../chain/production-cycles.ts';
import type { CostCell, RankFacts } from './facts/facts.ts';

/** Below this share of the input wait its causes are known well enough. Our own choice. */
const MOSTLY_UNKNOWN = 0.5;

const isUnknown = ({ phase, cause }: CostCell) => phase === 'input' && cause === 'unknown';

/**
 * One sentence where most of the input wait has no known cause, and why; undefined where it has, or where
 * what is not known is less than what `atLeastNs` of a finding explains.
 */
export function unknownInput(facts: RankFacts, atLeastNs: number): string | undefined {
  const cells = facts.costs.filter(isUnknown);
  const ns = cells.reduce((sum, cell) => sum + cell.ns, 0);
  const inputNs = facts.split.input;
  if (ns < atLeastNs || ns < inputNs * MOSTLY_UNKNOWN || ns === 0) return undefined;
  const lengthNs = facts.window[1] - facts.window[0];
  const of = formatShare(inputNs, lengthNs);
  const all = formatShare(ns, lengthNs);
  const share = all === of ? `Of these ${of}` : `Of these ${of}, ${all.replace(/\s?%$/, '')}`;
  const known = all === of ? 'no cause is known' : 'points have no known cause';
  return `${share} ${known}: ${lowerFirst(whyUnknown(facts, cells))}`;
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
