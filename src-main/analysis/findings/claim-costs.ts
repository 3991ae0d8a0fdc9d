import type { Basis } from '../../shared/answers/basis.ts';
import type { Severity } from '../../shared/answers/diagnosis.ts';
import type { Starvation } from '../../shared/answers/steps.ts';
import { formatDuration } from '../../shared/text/units.ts';
import type { CostCell } from './facts/facts.ts';
import type { Judgement } from './rule.ts';

/** A judgement with the cells that are its own: no time belongs to two. */
export interface Claim {
  readonly id: string;
  readonly judgement: Judgement;
  /** Of a cell that two causes share, its part. */
  readonly cells: readonly CostCell[];
}

type Judged = Pick<Claim, 'id' | 'judgement'>;

/** Gives each cell to the first judgement that claims it; one that shares leaves its part of it to those after it. */
export function claimCells(judged: readonly Judged[], costs: readonly CostCell[]): Claim[] {
  const shares = costs.map((cell) => sharesOf(judged, cell));
  return judged.map((one) => ({
    id: one.id,
    judgement: one.judgement,
    cells: costs.flatMap((cell, at) => {
      const share = shares[at].get(one);
      return share === undefined ? [] : [partOf(cell, share)];
    }),
  }));
}

/** To whom a cell belongs, and how much of it. What nobody else claims is not shared, but where a part of it is measured. */
function sharesOf(judged: readonly Judged[], cell: CostCell): ReadonlyMap<Judged, number> {
  const shares = new Map<Judged, number>();
  let rest = 1;
  const claiming = judged.filter(({ judgement }) => judgement.claims?.(cell) === true);
  for (const [at, one] of claiming.entries()) {
    const { claimPart, claimShare = 1 } = one.judgement;
    const wanted = claimPart?.(cell) ?? (at === claiming.length - 1 ? 1 : rest * claimShare);
    const share = Math.min(rest, wanted);
    if (share > 0) shares.set(one, share);
    rest -= share;
  }
  return shares;
}

function partOf(cell: CostCell, share: number): CostCell {
  if (share === 1) return cell;
  const known = (ns: number) => (ns < 0 ? ns : ns * share);
  return {
    ...cell,
    ns: cell.ns * share,
    starvedNs: known(cell.starvedNs),
    hiddenNs: known(cell.hiddenNs),
    spanNs: cell.spanNs.map(known),
  };
}

/**
 * What a cell costs: where the loop waits for input or for the host, only time in which the device
 * was idle too, where that is known: preemption hidden by prefetching costs nothing. Inside CUDA
 * calls the device has the work in hand, and the step waits for it; a copy beside which the device
 * computed, by its own records, costs nothing.
 */
export function costOf(cell: CostCell): number {
  if (cell.phase === 'h2d') return cell.ns - Math.max(0, cell.hiddenNs);
  const isOutside = cell.phase === 'input' || cell.phase === 'other' || cell.phase === 'idle';
  return isOutside && cell.starvedNs >= 0 ? cell.starvedNs : cell.ns;
}

/** Sum of the cells' cost, whole ns. */
export function totalCost(cells: readonly CostCell[]): number {
  return Math.round(cells.reduce((sum, cell) => sum + costOf(cell), 0));
}

const sumOf = (all: readonly CostCell[]) => all.reduce((sum, { ns }) => sum + ns, 0);

/** All the time that a judgement tells of, ns, whoever else claims it too. */
export function toldTime({ claims, claimPart }: Judgement, costs: readonly CostCell[]): number {
  if (claims === undefined) return 0;
  return sumOf(costs.filter(claims).map((cell) => partOf(cell, claimPart?.(cell) ?? 1)));
}

/**
 * Why a finding costs less than the time it tells of; undefined where it costs all of it. A part that
 * reads the same is no difference.
 */
export function whyCostsLess(
  { judgement, cells }: Claim,
  costs: readonly CostCell[],
): string | undefined {
  if (judgement.claims === undefined) return undefined;
  const toldNs = toldTime(judgement, costs);
  const ownNs = sumOf(cells);
  const costNs = totalCost(cells);
  if (formatDuration(costNs) === formatDuration(toldNs)) return undefined;
  // By the GPU's own records.
  const isRecorded = cells.every((cell) => cell.hiddenNs >= 0);
  const [hiddenNs, othersNs] = [ownNs - costNs, toldNs - ownNs];
  const reasons = [
    ...(hiddenNs >= 1
      ? [
          `${formatDuration(hiddenNs)} in which the GPU ${isRecorded ? 'was' : 'may have been'} busy`,
        ]
      : []),
    ...(othersNs >= 1 ? [`${formatDuration(othersNs)} that count with another finding`] : []),
  ];
  // The finding says its cost everywhere: a second figure beside it would be for the same thing.
  const left = reasons.join('; ');
  return costNs > 0
    ? `Not counted as its cost: ${left}`
    : `None of its time is counted as its cost: ${left}`;
}

/** How far a cost is known: idle time worked out from calls is a lower bound of the real one. */
export function costBasis(starvation: Starvation): Basis {
  if (starvation.basis === 'exact') return 'exact';
  return 'inferred';
}

/** Costs that differ by less are as large as each other: two runs of one job differ by as much. Our own choice. */
export const ERROR_SHARE = 0.1;

/**
 * The published thresholds of an input-bound job, of any cost: 20 % and 10 % of the wall time. Another run may show less by the
 * error: beside a costlier finding, what is not above a threshold then has the severity below it.
 */
export function severityOf(share: number, costs: boolean, isCostliest: boolean): Severity {
  const sureShare = isCostliest ? share : share * (1 - ERROR_SHARE);
  if (!costs) return 'info';
  if (sureShare >= 0.2) return 'high';
  return sureShare >= 0.1 ? 'medium' : 'low';
}
