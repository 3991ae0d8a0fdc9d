import type { Diagnosis } from '../../shared/answers/diagnosis.ts';
import type { Phase } from '../../shared/answers/steps.ts';
import { type Claim, costOf } from './claim-costs.ts';
import type { CostCell } from './facts/facts.ts';

type Costs = Diagnosis['costs'];

const phaseLabels: Readonly<Record<Phase, string>> = {
  input: 'Input wait, cause not claimed',
  h2d: 'Copies to the GPU',
  compute: 'Computing, or waiting for the GPU',
  collective: 'Waiting in a collective',
  idle: 'Idle between requests',
  other: 'Other time of the training loop',
};

/**
 * The whole window by what it went to: first the findings, costliest first, then by phase what no
 * finding claims. Sums to the cells' time.
 */
export function costBar(
  claims: readonly Claim[],
  cells: readonly CostCell[],
  otherLabel = phaseLabels.other,
): Costs {
  // Ranks have cells of the same name: one that claims its own claims no other's.
  const claimed = new Set(claims.flatMap((claim) => claim.cells));
  const findings = claims
    .map(({ id, judgement, cells: own }) => ({
      label: judgement.title,
      finding: id,
      ns: own.reduce((sum, cell) => sum + costOf(cell), 0),
    }))
    .filter(({ ns }) => ns > 0)
    .sort((a, b) => b.ns - a.ns);
  const rest = new Map<string, { label: string; phase: Phase; ns: number }>();
  for (const cell of cells) {
    const isClaimed = claimed.has(cell);
    // Of a claimed cell remains what the prefetching hid.
    const ns = isClaimed ? cell.ns - costOf(cell) : cell.ns;
    const label = isClaimed ? 'Waited while the GPU may have been busy' : labelOf(cell, otherLabel);
    const part = rest.get(label) ?? { label, phase: cell.phase, ns: 0 };
    if (ns > 0) rest.set(label, { ...part, ns: part.ns + ns });
  }
  const others = [...rest.values()].sort((a, b) => b.ns - a.ns);
  return [...findings, ...others];
}

/** Nothing says what the thread's state was. */
const NOT_KNOWN = 'Not known whether it ran or waited';

function labelOf({ phase, cause }: CostCell, otherLabel: string): string {
  if (cause === 'runnable') return 'Waiting for a CPU, who had it is not known';
  if (cause === 'unknown') return phase === 'input' ? 'Input wait, cause not known' : NOT_KNOWN;
  return phase === 'other' ? otherLabel : phaseLabels[phase];
}
