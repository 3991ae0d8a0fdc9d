import type { Diagnosis } from '../../shared/answers/diagnosis.ts';
import type { Phase } from '../../shared/answers/steps.ts';
import { type Claim, costOf } from './claim-costs.ts';
import type { CostCell } from './facts/facts.ts';

type Costs = Diagnosis['costs'];

/** The cells of one rank, which of them findings claim, and what its phases are called. */
export interface RankCosts {
  readonly claims: readonly Claim[];
  readonly cells: readonly CostCell[];
  readonly label: (phase: Phase) => string;
}

/** Time of one phase that no finding claims. */
interface Part {
  readonly phase: Phase;
  readonly phaseLabel: string;
  /** Empty where a cause is known. */
  readonly note: string;
  ns: number;
}

/** A part of less than this of all the time is no row of its own: nobody could see it in the bar. */
const SEEN_SHARE = 0.0005;

/**
 * The whole window by what it went to: first the findings, costliest first, then by phase what no
 * finding claims. Sums to the cells' time; rows that begin with the name of a phase sum to that phase,
 * less what findings claim of it.
 */
export function costBar(ranks: readonly RankCosts[]): Costs {
  const findings = ranks
    .flatMap(({ claims }) => claims)
    .map(({ id, judgement, cells: own }) => ({
      label: judgement.title,
      finding: id,
      ns: own.reduce((sum, cell) => sum + costOf(cell), 0),
    }))
    .filter(({ ns }) => ns > 0)
    .sort((a, b) => b.ns - a.ns);
  const { parts, claimedPhases } = unclaimed(ranks);
  const others = parts
    .map((part) => ({
      label: partLabel(part, parts, claimedPhases),
      phase: part.phase,
      ns: part.ns,
    }))
    .sort((a, b) => b.ns - a.ns);
  return [...findings, ...others];
}

function unclaimed(ranks: readonly RankCosts[]) {
  const parts = new Map<string, Part>();
  const claimedPhases = new Set<string>();
  for (const { claims, cells, label } of ranks) {
    const claimed = new Set(claims.flatMap((claim) => claim.cells));
    for (const cell of cells) {
      const isClaimed = claimed.has(cell);
      const phaseLabel = label(cell.phase);
      // Of a claimed cell remains what the prefetching hid.
      const ns = isClaimed ? cell.ns - costOf(cell) : cell.ns;
      if (isClaimed) claimedPhases.add(phaseLabel);
      if (!(ns > 0)) continue;
      const note = isClaimed ? hiddenNote(cell) : noteOf(cell);
      const key = JSON.stringify([phaseLabel, note]);
      const part = parts.get(key) ?? { phase: cell.phase, phaseLabel, note, ns: 0 };
      part.ns += ns;
      parts.set(key, part);
    }
  }
  return { parts: withoutTiny([...parts.values()], ranks), claimedPhases };
}

/** Adds what nobody could see to the rest of its phase. */
function withoutTiny(parts: readonly Part[], ranks: readonly RankCosts[]): Part[] {
  const allNs = ranks.flatMap(({ cells }) => cells).reduce((sum, { ns }) => sum + ns, 0);
  const restOf = new Map(
    parts.flatMap((part) => (part.note === '' ? [[part.phaseLabel, part]] : [])),
  );
  return parts.filter((part) => {
    const rest = restOf.get(part.phaseLabel);
    if (part.note === '' || rest === undefined || part.ns >= allNs * SEEN_SHARE) return true;
    rest.ns += part.ns;
    return false;
  });
}

/** As the phase where it is all of that phase: then both tables have the same figure. */
function partLabel(
  { phaseLabel, note }: Part,
  parts: readonly Part[],
  claimedPhases: ReadonlySet<string>,
): string {
  if (note !== '') return `${phaseLabel}: ${note}`;
  const isAll =
    !claimedPhases.has(phaseLabel) &&
    parts.every((part) => part.phaseLabel !== phaseLabel || part.note === '');
  return isAll ? phaseLabel : `${phaseLabel}: the rest`;
}

function hiddenNote({ hiddenNs }: CostCell): string {
  return hiddenNs >= 0 ? 'while the GPU was busy' : 'while the GPU may have been busy';
}

function noteOf({ phase, cause }: CostCell): string {
  if (cause === 'runnable') return 'waiting for a CPU, who had it is not known';
  if (cause === 'off-cpu') return 'off the CPU, why is not known';
  if (cause !== 'unknown') return '';
  return phase === 'input' ? 'cause not known' : 'not known whether the thread ran or waited';
}
