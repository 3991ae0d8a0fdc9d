import { expect, test } from 'vitest';
import type { CostCell } from '../findings/facts/facts.ts';
import { costPerStep } from './cost-per-step.ts';

/** Ten steps of 100 ns, of which the first two are the warm-up. */
const steps = {
  startsNs: Float64Array.from({ length: 8 }, (_, at) => 200 + at * 100),
  endsNs: Float64Array.from({ length: 8 }, (_, at) => 300 + at * 100),
  ...{ before: 2, groupSize: 1, groups: 8, window: [200, 1000] as const },
};

/** A cell with these stretches, and `restNs` in those that are not listed. */
function cell(spans: readonly (readonly [number, number])[], restNs = 0): CostCell {
  const spanNs = spans.map(([startNs, endNs]) => endNs - startNs);
  return {
    ...{ phase: 'compute', whose: 'main', cause: 'device', hiddenNs: -1 },
    ...{ spans, spanNs, count: spans.length + (restNs > 0 ? 100 : 0), events: [] },
    ns: spanNs.reduce((sum, ns) => sum + ns, restNs),
    starvedNs: -1,
  } as unknown as CostCell;
}

test('what a finding cost in the warm-up is no part of what it costs a compared step', () => {
  const start = [0, 80] as const;
  const later = [400, 440] as const;
  expect(costPerStep({ cells: [cell([start, later])] }, steps)).toBe(40 / 8);
  expect(costPerStep({ cells: [cell([start])] }, steps)).toBe(0);
  // Stretches that are not listed are of all ten steps.
  expect(costPerStep({ cells: [cell([start], 100)] }, steps)).toBe(10);
  expect(costPerStep({ cells: [] }, steps)).toBe(0);
});
