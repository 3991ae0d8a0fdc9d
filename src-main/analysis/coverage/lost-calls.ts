import { isGapOf } from '../../shared/model/hosts.ts';
import { lostLaunchesOnly, mayHaveLost } from '../../shared/model/lost-table.ts';
import { upperBound } from '../../shared/numbers/bisect.ts';
import { perNumber } from '../index/per-trace.ts';
import { SpanList, type Spans } from '../index/spans.ts';

/**
 * When CUDA calls of a host may have been lost: the recorder's gaps, overlapping ones joined. Not where launches alone
 * are missing: copies and synchronisations, of which steps are made, are all there.
 */
export const lostCalls = perNumber((trace, host): Spans => {
  const { columns, rows } = trace.tables.gap;
  const lost = new SpanList([-Infinity, Infinity]);
  for (let row = 0; row < rows; row++) {
    const op = columns.op?.[row] ?? -1;
    if (!mayHaveLost(trace, op, 'cuda_call') || lostLaunchesOnly(trace, op)) continue;
    if (isGapOf(trace, row, host))
      lost.add(columns.startNs[row], columns.startNs[row] + columns.durationNs[row]);
  }
  return lost.spans();
});

/** Whether any of `spans` reaches into [startNs, endNs). */
export function touches({ startsNs, endsNs }: Spans, startNs: number, endNs: number): boolean {
  const next = upperBound(endsNs, startNs);
  return next < startsNs.length && startsNs[next] < endNs;
}
