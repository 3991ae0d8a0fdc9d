import { type Claim, costOf } from '../findings/claim-costs.ts';
import type { ComparedSteps } from './run-steps.ts';

/**
 * What a finding costs each of the compared steps, ns: the warm-up is no part of it, as of nothing else that is
 * compared. Of a cell only the stretches with most of it are known one by one; the rest is shared out evenly over all steps.
 */
export function costPerStep({ cells }: Pick<Claim, 'cells'>, steps: ComparedSteps): number {
  const { startsNs, before, window } = steps;
  const count = startsNs.length;
  let costNs = 0;
  for (const cell of cells) {
    const { ns, spans, spanNs } = cell;
    if (!(ns > 0)) continue;
    const listedNs = spanNs.reduce((sum, each) => sum + each, 0);
    const withinNs = spanNs.reduce(
      (sum, each, at) => (spans[at][0] >= window[0] ? sum + each : sum),
      0,
    );
    const evenly = Math.max(0, ns - listedNs) / (before + count);
    costNs += (costOf(cell) / ns) * (withinNs / count + evenly);
  }
  return Math.round(costNs);
}
