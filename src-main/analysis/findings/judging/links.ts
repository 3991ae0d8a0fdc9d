import type { Evidence } from '../../../shared/answers/diagnosis.ts';
import { formatDuration, formatShare } from '../../../shared/text/units.ts';
import { evidence, joinedRefs } from '../facts/evidence.ts';
import type { CostCell, RankFacts } from '../facts/facts.ts';
import { windowNs } from '../facts/job-shape.ts';

/** Levels of causal chains that several rules have in common. */

/** `The training loop waited 4.2 s (42.0 % of the time) for batches`. */
export function waitOf(facts: RankFacts, ns: number, forWhat: string): string {
  return `The training loop ${forWhat} for ${formatDuration(ns)}, ${formatShare(ns, windowNs(facts))} of the time`;
}

/** How long the device had provably nothing to do in the cells claimed, as far as that is known. */
export function idleDevice(facts: RankFacts, claims: (cell: CostCell) => boolean): Evidence {
  const cells = facts.costs.filter(claims);
  const events = joinedRefs(cells.map((cell) => cell.events));
  const known = cells.filter(({ starvedNs }) => starvedNs >= 0);
  const idleNs = known.reduce((sum, { starvedNs }) => sum + starvedNs, 0);
  const { basis } = facts.starvation;
  if (known.length === 0 || basis === 'unknown')
    return evidence('Nothing in this trace tells what the GPU did meanwhile', 'unknown', events);
  if (basis === 'exact')
    return evidence(`The GPU ran nothing for ${formatDuration(idleNs)} of it`, 'exact', events);
  return evidence(
    `No CUDA work was under way for at least ${formatDuration(idleNs)} of it`,
    'exact',
    events,
  );
}
