import type { Unstored } from '../../../src-main/shared/answers/range-figures.ts';
import type { TableName } from '../../../src-main/shared/model/schema.ts';
import { formatCount } from '../../../src-main/shared/text/units.ts';
import type { TraceView } from '../../../src-main/timeline/model/trace-data.ts';

/**
 * Whether the recorder chose which events of `table` to keep: what is stored is then no share of the
 * time. One that says when it lost events has all the others.
 */
export function keepsSelection({ summary }: TraceView, table: TableName | undefined): boolean {
  if (table === undefined) return false;
  const { [table]: own, gap } = summary.tables;
  return own.provenance.kind === 'partial' && gap.provenance.kind === 'absent';
}

/** `16`, `16 of 30`, `16 of ≥ 30`: stored of happened, as far as that is known. */
export function rangeCountText(count: number, unstored: Unstored | undefined): string {
  if (unstored === undefined) return formatCount(count);
  if (unstored.inside === 0) return `≥ ${formatCount(count)}`;
  const least = unstored.isMore ? '≥ ' : '';
  return `${formatCount(count)} of ${least}${formatCount(count + unstored.inside)}`;
}
