import type { Diagnosis } from '../../../src-main/shared/answers/diagnosis.ts';
import { formatShare } from '../../../src-main/shared/text/units.ts';

type Cost = Diagnosis['costs'][number];

/** A part of the bar, and its entry below it. */
interface CostPart extends Cost {
  /** Empty where the calls are a selection. */
  readonly share: string;
}

/** As many as can be told apart, and read. */
const MOST_PARTS = 8;

/**
 * What is drawn, and told below: the largest parts in their order, all others as one, so that nothing in the
 * bar is without a name.
 */
export function costParts({ costs, windowNs, ranks, isSelection }: Diagnosis): CostPart[] {
  const ofAll = ranks.length > 1 ? ` of all ${ranks.length} ranks` : '';
  const shareOf = (ns: number) => (isSelection ? '' : `${formatShare(ns, windowNs)}${ofAll}`);
  const told = (cost: Cost) => ({ ...cost, share: shareOf(cost.ns) });
  if (costs.length <= MOST_PARTS) return costs.map(told);
  const largest = new Set(costs.toSorted((a, b) => b.ns - a.ns).slice(0, MOST_PARTS - 1));
  const smaller = costs.filter((cost) => !largest.has(cost));
  const ns = smaller.reduce((sum, cost) => sum + cost.ns, 0);
  return [
    ...costs.filter((cost) => largest.has(cost)),
    { label: `${smaller.length} smaller`, ns },
  ].map(told);
}
