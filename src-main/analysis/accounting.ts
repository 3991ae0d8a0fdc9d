import type { AccountingPart, OffCpuSpan } from '../shared/explanation.ts';
import type { Columns } from '../shared/model/columns.ts';
import { formatDuration, plural } from '../shared/units.ts';
import { firstAbove, type ThreadSwitches } from './thread-switches.ts';

/** The off-CPU rows of a thread that overlap [startNs, endNs), in order of start. */
export function overlappingSpans(
  columns: Columns<'off_cpu'>,
  switches: ThreadSwitches,
  startNs: number,
  endNs: number,
): OffCpuSpan[] {
  const spans: OffCpuSpan[] = [];
  const first = firstAbove(switches.latestEndsNs, startNs);
  const end = firstAbove(switches.startsNs, endNs, true);
  for (let at = first; at < end; at++) {
    const row = switches.rows[at];
    const spanStartNs = columns.startNs[row];
    const durationNs = columns.durationNs[row];
    const overlapNs = Math.min(spanStartNs + durationNs, endNs) - Math.max(spanStartNs, startNs);
    if (overlapNs > 0) spans.push({ row, startNs: spanStartNs, durationNs, overlapNs });
  }
  return spans;
}

/** ns of [startNs, endNs) that at least one of `intervals`, `[start, end)` each, covers. */
export function coveredNs(
  intervals: readonly (readonly [startNs: number, endNs: number])[],
  startNs: number,
  endNs: number,
): number {
  let covered = 0;
  let reachedNs = startNs;
  for (const [from, to] of [...intervals].sort((a, b) => a[0] - b[0])) {
    const clippedStart = Math.max(from, reachedNs);
    const clippedEnd = Math.min(to, endNs);
    if (clippedEnd <= clippedStart) continue;
    covered += clippedEnd - clippedStart;
    reachedNs = clippedEnd;
  }
  return covered;
}

/** What is known of where a call's time went, before it is put in words. */
export interface CallTime {
  readonly startNs: number;
  readonly durationNs: number;
  readonly spans: readonly OffCpuSpan[];
  /** Whether time outside the spans was spent on a CPU. */
  readonly complete: boolean;
  /** Why it is not complete. */
  readonly note: string;
  /** What the thread did while on a CPU: `copying or waiting for the GPU`, or nothing. */
  readonly runningAs: string;
  /** Off-CPU time the recorder measured around this very call, where it did. */
  readonly measuredOffCpuNs?: number;
}

/**
 * The parts of a call's time: disjoint, none empty, their sum its duration to the ns. Off-CPU is the
 * union of the spans inside the call, so spans that overlap each other are not counted twice.
 */
export function accountCall(call: CallTime, columns: Columns<'off_cpu'>): AccountingPart[] {
  const endNs = call.startNs + call.durationNs;
  const storedNs = coveredNs(
    call.spans.map((span) => [span.startNs, span.startNs + span.durationNs] as const),
    call.startNs,
    endNs,
  );
  const measured = call.complete ? undefined : call.measuredOffCpuNs;
  const offCpuNs = Math.min(call.durationNs, Math.max(storedNs, measured ?? 0));
  const restNs = call.durationNs - offCpuNs;
  const reason =
    measured === undefined
      ? offCpuReason(call, columns)
      : 'as the recorder measured around this call';
  const rest: AccountingPart =
    call.complete || measured !== undefined
      ? { kind: 'running', ns: restNs, reason: runningReason(call.runningAs) }
      : { kind: 'unexplained', ns: restNs, reason: call.note };
  const parts: AccountingPart[] = [{ kind: 'off-cpu', ns: offCpuNs, reason }, rest];
  return parts.filter((part) => part.ns > 0);
}

function runningReason(runningAs: string): string {
  return runningAs === '' ? 'running' : `running (${runningAs})`;
}

function offCpuReason({ spans, startNs, durationNs }: CallTime, columns: Columns<'off_cpu'>) {
  const longestNs = spans.reduce((longest, span) => Math.max(longest, span.overlapNs), 0);
  const stretches =
    spans.length === 1
      ? 'in 1 stretch'
      : `in ${plural(spans.length, 'stretch', 'stretches')}, the longest ${formatDuration(longestNs)}`;
  const waiting = runQueueNs(spans, columns.runQueueNs, startNs, startNs + durationNs);
  if (waiting === undefined) return stretches;
  const atLeast = waiting.exact ? '' : 'at least ';
  return `${stretches}; ${atLeast}${formatDuration(waiting.ns)} of it waiting for a CPU`;
}

/** Time runnable inside the call: the end part of each span. `undefined` where no span has it. */
function runQueueNs(
  spans: readonly OffCpuSpan[],
  column: Float64Array | undefined,
  startNs: number,
  endNs: number,
): { ns: number; exact: boolean } | undefined {
  const known = spans.filter(({ row }) => (column?.[row] ?? -1) >= 0);
  if (column === undefined || known.length === 0) return undefined;
  const waits = known.map((span) => {
    const backNs = span.startNs + span.durationNs;
    return [Math.max(span.startNs, backNs - column[span.row]), backNs] as const;
  });
  return { ns: coveredNs(waits, startNs, endNs), exact: known.length === spans.length };
}
