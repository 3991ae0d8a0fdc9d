import type { Diagnosis } from '../../shared/answers/diagnosis.ts';
import type { Phase } from '../../shared/answers/steps.ts';
import { type Claim, costOf } from './claim-costs.ts';
import { cellKey } from './facts/cost-cells.ts';
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
  const add = (phase: Phase, phaseLabel: string, note: string, ns: number) => {
    // What is left over by rounding is nothing.
    if (!(ns >= 1)) return;
    const key = JSON.stringify([phaseLabel, note]);
    const part = parts.get(key) ?? { phase, phaseLabel, note, ns: 0 };
    part.ns += ns;
    parts.set(key, part);
  };
  for (const { claims, cells, label } of ranks) {
    const claimed = claimedParts(claims);
    for (const cell of cells) {
      const { ns, costNs } = claimed.get(cellKey(cell)) ?? { ns: 0, costNs: 0 };
      const phaseLabel = label(cell.phase);
      if (ns > 0) claimedPhases.add(phaseLabel);
      // Of what is claimed remains what the prefetching hid.
      add(cell.phase, phaseLabel, hiddenNote(cell), ns - costNs);
      add(cell.phase, phaseLabel, noteOf(cell), cell.ns - ns);
    }
  }
  return { parts: withoutTiny([...parts.values()], ranks), claimedPhases };
}

/** How much of each cell findings claim, by its key, and what that costs. */
function claimedParts(claims: readonly Claim[]) {
  const parts = new Map<string, { ns: number; costNs: number }>();
  for (const cell of claims.flatMap(({ cells }) => cells)) {
    const { ns, costNs } = parts.get(cellKey(cell)) ?? { ns: 0, costNs: 0 };
    parts.set(cellKey(cell), { ns: ns + cell.ns, costNs: costNs + costOf(cell) });
  }
  return parts;
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
