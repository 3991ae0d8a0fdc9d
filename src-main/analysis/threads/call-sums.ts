import type { Basis } from '../../shared/answers/basis.ts';
import type { Provenance, Trace } from '../../shared/model/trace.ts';
import { formatDuration } from '../../shared/text/units.ts';

/** The columns of cuda_call that a recorder can fill without the moments behind them. */
export type SummedColumn = 'offCpuNs' | 'runQueueNs' | 'stolenNs' | 'minorFaults' | 'majorFaults';

/** A figure that was taken around one call as a whole. */
export interface CallSum {
  readonly value: number;
  readonly basis: Basis;
  /** `as the recorder measured around this call`: how it is known, as the end of a sentence. */
  readonly how: string;
  /** What the trace says of the column; may be empty. */
  readonly note: string;
}

/** What the recorder took around call `row`; undefined where it did not. */
export function callSum(trace: Trace, row: number, column: SummedColumn): CallSum | undefined {
  const { columns, columnProvenance, provenance } = trace.tables.cuda_call;
  const value = columns[column]?.[row] ?? -1;
  if (value < 0) return undefined;
  const own = columnProvenance[column];
  const known = own ?? provenance;
  return { value, basis: basisOf(known), how: howKnown(known), note: own?.note ?? '' };
}

/** How far a figure of such a provenance can be trusted: a single event that is stored did happen. */
export function basisOf({ kind }: Pick<Provenance, 'kind'>): Basis {
  if (kind === 'exact' || kind === 'partial') return 'exact';
  return kind === 'aggregated' ? 'aggregated' : 'inferred';
}

function howKnown({ kind, everyNs }: Provenance): string {
  const each = everyNs === undefined ? '' : `, one every ${formatDuration(everyNs)}`;
  switch (kind) {
    case 'exact':
    case 'partial':
      return 'as the recorder measured around this call';
    case 'sampled':
      return `by the recorder’s samples of this call${each}: about this much`;
    case 'aggregated':
      return `by the recorder’s sums${everyNs === undefined ? '' : ` over ${formatDuration(everyNs)}`}, not measured for this call alone`;
    default:
      return 'worked out for this call, not measured';
  }
}

/** Whether any call of `trace` has such a figure. */
export function hasCallSums({ tables }: Trace, column: SummedColumn): boolean {
  return tables.cuda_call.columns[column]?.some((value) => value >= 0) === true;
}

/**
 * The end of a sentence that says which capture would tell more. Sums around calls without a single
 * switch are what a recorder inside the job can take: in its container no other capture is possible.
 */
export function whereToCapture(trace: Trace): string {
  const isFromInside = trace.tables.off_cpu.rows === 0 && hasCallSums(trace, 'runQueueNs');
  return isFromInside ? '; for a job in a container, capture on its host' : '';
}
