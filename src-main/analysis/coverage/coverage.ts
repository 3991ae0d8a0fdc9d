import { hostIndexOf, isGapOf } from '../../shared/model/hosts.ts';
import { mayHaveLost } from '../../shared/model/lost-table.ts';
import type { Trace } from '../../shared/model/trace.ts';
import { formatDuration, formatMoment, plural } from '../../shared/text/units.ts';
import { whyMissing } from '../../shared/words/why-missing.ts';
import type { SortedRows } from '../index/sorted-rows.ts';
import { traceIndex } from '../index/trace-index.ts';
import { doubtedFromNs } from './complete-ranges.ts';
import { allKept, keptOfCounted, keptText } from './kept-switches.ts';
import { observedSpan } from './observed-span.ts';

/** Whether every switch of one thread in a range of time is in the trace. */
export interface SwitchCoverage {
  readonly complete: boolean;
  /** Whether any switch in the range can be stored: false before the first and after the last. */
  readonly recorded: boolean;
  /** One or two sentences: why, and what is missing. */
  readonly note: string;
}

/**
 * Whether the stored switches of `thread` over [startNs, endNs) are all that happened. Only without
 * a gap in the range, and only where the thread is known to have been recorded: between its first
 * and last stored switch or, in an exact table, other sign of life (observedSpan). Besides, the table
 * claims to be exact, or is partial and holds for this thread all that the recorder counted in every
 * bucket of the range.
 */
export function switchCoverage(
  trace: Trace,
  thread: number,
  startNs: number,
  endNs: number,
): SwitchCoverage {
  const info = trace.threads[thread];
  if (info === undefined) return unrecorded('The trace does not say which thread made this call.');
  const { provenance, rows } = trace.tables.off_cpu;
  if (provenance.kind === 'absent' || rows === 0)
    return unrecorded(whyMissing(trace.tables, 'off_cpu', 'This trace holds no context switches.'));
  const switches = traceIndex(trace).switchesOf(thread);
  const outside = isObserved(trace, thread, startNs, endNs)
    ? undefined
    : outsideStored(switches, info.tid, startNs, endNs);
  const counts = keptOfCounted(trace, thread, startNs, endNs);
  const kept = keptText(trace, counts, endNs);
  if (outside !== undefined) {
    // That all which were counted are stored is no reason: none of them tells of this time.
    const told = counts.counted > 0 && counts.stored === counts.counted ? NONE_HERE : kept;
    return { complete: false, recorded: outside.partly, note: joined(outside.note, told) };
  }
  const isExact = provenance.kind === 'exact';
  if (!isExact && !(provenance.kind === 'partial' && allKept(trace, thread, startNs, endNs)))
    return incomplete(joined(missingText(trace, thread, counts.stored < counts.counted), kept));
  const gap = gapWithin(trace, thread, switches, startNs, endNs);
  if (gap !== undefined) return incomplete(gap);
  const which = isExact ? '' : ' that the recorder counted';
  const note = `Every switch of thread ${info.tid}${which} during the call is in the trace.`;
  return { complete: true, recorded: true, note };
}

const NONE_HERE =
  'All that the recorder counted of it are in this file, and none tells whether it was on a CPU there.';

/** Whether a table that is exact holds what happened then; see observedSpan. */
function isObserved(trace: Trace, thread: number, startNs: number, endNs: number): boolean {
  if (trace.tables.off_cpu.provenance.kind !== 'exact') return false;
  const [firstNs, lastNs] = observedSpan(trace, thread) ?? [Infinity, -Infinity];
  return firstNs <= startNs && endNs <= lastNs;
}

function unrecorded(note: string): SwitchCoverage {
  return { complete: false, recorded: false, note };
}

function incomplete(note: string): SwitchCoverage {
  return { complete: false, recorded: true, note };
}

/** Why the stored switches of a thread do not count as all. */
function missingText(trace: Trace, thread: number, isShort: boolean): string {
  const { tid } = trace.threads[thread];
  const summarised = traceIndex(trace).activity().summarisedSwitches[thread];
  if (summarised > 0)
    return `The recorder kept ${plural(summarised, 'switch', 'switches')} of thread ${tid} as summaries only.`;
  return isShort
    ? `Not every switch of thread ${tid} was kept.`
    : `Nothing shows that every switch of thread ${tid} was kept.`;
}

function joined(...sentences: (string | undefined)[]): string {
  return sentences.filter((sentence) => sentence !== undefined).join(' ');
}

function outsideStored(
  switches: SortedRows,
  tid: number,
  startNs: number,
  endNs: number,
): { note: string; partly: boolean } | undefined {
  const { startsNs, latestEndsNs } = switches;
  if (startsNs.length === 0)
    return { note: `No switch of thread ${tid} is stored.`, partly: false };
  const firstNs = startsNs.nsAt(0);
  const lastNs = latestEndsNs.nsAt(latestEndsNs.length - 1);
  const first = `The first stored switch of thread ${tid} begins at ${formatMoment(firstNs)}`;
  const last = `The last stored switch of thread ${tid} ended at ${formatMoment(lastNs)}`;
  if (endNs <= firstNs)
    return {
      note: `${first}, ${formatDuration(firstNs - endNs)} after this call ended.`,
      partly: false,
    };
  if (startNs >= lastNs)
    return {
      note: `${last}, ${formatDuration(startNs - lastNs)} before this call began.`,
      partly: false,
    };
  if (startNs < firstNs) return { note: `${first}, during this call.`, partly: true };
  return endNs > lastNs ? { note: `${last}, during this call.`, partly: true } : undefined;
}

function gapWithin(
  trace: Trace,
  thread: number,
  switches: SortedRows,
  startNs: number,
  endNs: number,
): string | undefined {
  const host = hostIndexOf(trace, thread);
  const { columns, rows } = trace.tables.gap;
  for (let row = 0; row < rows; row++) {
    if (doubtedFromNs(switches, columns.startNs[row]) >= endNs) break;
    const gapEndNs = columns.startNs[row] + columns.durationNs[row];
    if (gapEndNs <= startNs || !mayHaveLost(trace, columns.op?.[row] ?? -1, 'off_cpu')) continue;
    if (!isGapOf(trace, row, host)) continue;
    const range = `${formatMoment(columns.startNs[row])} and ${formatMoment(gapEndNs)}`;
    const lost = columns.lost[row];
    return lost >= 0
      ? `The recorder lost ${plural(lost, 'event')} between ${range}.`
      : `The recorder lost events between ${range}.`;
  }
  return undefined;
}
