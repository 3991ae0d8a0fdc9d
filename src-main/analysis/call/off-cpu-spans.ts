import type { OffCpuSpan } from '../../shared/answers/explanation.ts';
import type { Columns } from '../../shared/model/columns.ts';
import { formatDuration, plural } from '../../shared/text/units.ts';
import type { SortedRows } from '../index/sorted-rows.ts';

/** The off-CPU rows of a thread that overlap [startNs, endNs), in order of start. */
export function overlappingSpans(
  columns: Columns<'off_cpu'>,
  switches: SortedRows,
  startNs: number,
  endNs: number,
): OffCpuSpan[] {
  const spans: OffCpuSpan[] = [];
  const first = switches.latestEndsNs.upperBound(startNs);
  const end = switches.startsNs.lowerBound(endNs);
  for (let at = first; at < end; at++) {
    const row = switches.rows[at];
    const spanStartNs = columns.startNs[row];
    const durationNs = columns.durationNs[row];
    const overlapNs = Math.min(spanStartNs + durationNs, endNs) - Math.max(spanStartNs, startNs);
    if (overlapNs > 0) spans.push({ row, startNs: spanStartNs, durationNs, overlapNs });
  }
  return spans;
}

/** `in 6 stretches, the longest 22.86 ms`. */
export function stretchesText(spans: readonly OffCpuSpan[]): string {
  if (spans.length <= 1) return 'in 1 stretch';
  const longestNs = spans.reduce((longest, span) => Math.max(longest, span.overlapNs), 0);
  return `in ${plural(spans.length, 'stretch', 'stretches')}, the longest ${formatDuration(longestNs)}`;
}
