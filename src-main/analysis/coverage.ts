import type { Trace } from '../shared/model/trace.ts';
import { formatCount, formatDuration, formatMoment } from '../shared/units.ts';
import { firstSumOf } from './counted-sums.ts';
import { firstAbove, type ThreadSwitches } from './thread-switches.ts';
import { traceIndex } from './trace-index.ts';

/** Whether every switch of one thread in a range of time is in the trace. */
export interface SwitchCoverage {
  readonly complete: boolean;
  /** Whether any switch in the range can be stored: false before the first and after the last. */
  readonly recorded: boolean;
  /** One or two sentences: why, and what is missing. */
  readonly note: string;
}

/**
 * Whether the stored switches of `thread` over [startNs, endNs) are all that happened. Only a table
 * that claims to be exact, without a gap in the range, and only between the thread's first and last
 * stored switch: before and after them nothing shows that it was being recorded.
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
    return unrecorded(provenance.note || 'This trace holds no context switches.');
  const switches = traceIndex(trace).switchesOf(thread);
  const outside = outsideStored(switches, info.tid, startNs, endNs);
  const kept = keptOfCounted(trace, thread, startNs, endNs);
  if (outside !== undefined)
    return { complete: false, recorded: outside.partly, note: joined(outside.note, kept) };
  if (provenance.kind !== 'exact')
    return incomplete(joined(`Not every switch of thread ${info.tid} was kept.`, kept));
  const gap = gapWithin(trace, startNs, endNs);
  if (gap !== undefined) return incomplete(gap);
  const note = `Every switch of thread ${info.tid} during the call is in the trace.`;
  return { complete: true, recorded: true, note };
}

function unrecorded(note: string): SwitchCoverage {
  return { complete: false, recorded: false, note };
}

function incomplete(note: string): SwitchCoverage {
  return { complete: false, recorded: true, note };
}

function joined(...sentences: (string | undefined)[]): string {
  return sentences.filter((sentence) => sentence !== undefined).join(' ');
}

function outsideStored(
  switches: ThreadSwitches,
  tid: number,
  startNs: number,
  endNs: number,
): { note: string; partly: boolean } | undefined {
  const { startsNs, latestEndsNs } = switches;
  const firstNs = startsNs.at(0);
  const lastNs = latestEndsNs.at(-1);
  if (firstNs === undefined || lastNs === undefined)
    return { note: `No switch of thread ${tid} is stored.`, partly: false };
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

/** How many of the switches that the recorder counted around the range are stored. */
function keptOfCounted(
  trace: Trace,
  thread: number,
  startNs: number,
  endNs: number,
): string | undefined {
  const { switchSums: sums } = traceIndex(trace).activity();
  let counted = 0;
  let fromNs = Infinity;
  let toNs = -Infinity;
  for (let at = firstSumOf(sums, thread); sums.thread[at] === thread; at++) {
    if (sums.startNs[at] >= endNs || sums.endNs[at] <= startNs) continue;
    counted += sums.count[at];
    fromNs = Math.min(fromNs, sums.startNs[at]);
    toNs = Math.max(toNs, sums.endNs[at]);
  }
  if (counted === 0) return undefined;
  const stored = endedWithin(trace, thread, fromNs, toNs);
  // The first bucket can begin before the trace, the last end after it.
  const shownTo = Math.min(toNs, Math.max(trace.meta.lengthNs, endNs));
  const range = `Between ${formatMoment(Math.max(0, fromNs))} and ${formatMoment(shownTo)}`;
  if (stored > counted)
    return `${range} the file holds ${formatCount(stored)} of its switches, more than the ${formatCount(counted)} the recorder counted, so its count proves nothing.`;
  return `${range} the recorder counted ${formatCount(counted)} switches of it; ${formatCount(stored)} of them are in this file.`;
}

/** A recorder counts a switch when the thread comes back on a CPU. */
function endedWithin(trace: Trace, thread: number, fromNs: number, toNs: number): number {
  const { startNs, durationNs } = trace.tables.off_cpu.columns;
  let stored = 0;
  for (const row of traceIndex(trace).switchesOf(thread).rows) {
    const endNs = startNs[row] + durationNs[row];
    if (endNs >= fromNs && endNs < toNs) stored++;
  }
  return stored;
}

function gapWithin(trace: Trace, startNs: number, endNs: number): string | undefined {
  const { columns, rows } = trace.tables.gap;
  // Gaps are few: a recorder that loses events in more places than these has larger worries.
  const last = firstAbove(columns.startNs, endNs, true);
  for (let row = 0; row < Math.min(last, rows); row++) {
    const gapEndNs = columns.startNs[row] + columns.durationNs[row];
    if (gapEndNs <= startNs) continue;
    const range = `${formatMoment(columns.startNs[row])} and ${formatMoment(gapEndNs)}`;
    const lost = columns.lost[row];
    return lost >= 0
      ? `The recorder lost ${formatCount(lost)} events between ${range}.`
      : `The recorder lost events between ${range}.`;
  }
  return undefined;
}
