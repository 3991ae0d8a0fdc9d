import type { Trace } from '../../shared/model/trace.ts';
import { formatCount, formatMoment, plural } from '../../shared/text/units.ts';
import { firstSumOf } from '../index/counted-sums.ts';
import { traceIndex } from '../index/trace-index.ts';

/** Switches of one thread in the recorder's buckets that a range of time touches. */
interface Kept {
  readonly counted: number;
  readonly stored: number;
  /** From the first bucket's begin to the last one's end. */
  readonly fromNs: number;
  readonly toNs: number;
  /** Whether in each bucket by itself as many are stored as were counted. */
  readonly equal: boolean;
  /** Whether the buckets leave no time between them. */
  readonly adjoining: boolean;
}

/** How many of the switches that the recorder counted around [startNs, endNs) are stored. */
export function keptOfCounted(trace: Trace, thread: number, startNs: number, endNs: number): Kept {
  const { switchSums: sums } = traceIndex(trace).activity();
  const kept = {
    counted: 0,
    stored: 0,
    fromNs: Infinity,
    toNs: -Infinity,
    equal: true,
    adjoining: true,
  };
  for (let at = firstSumOf(sums, thread); sums.thread[at] === thread; at++) {
    if (sums.startNs[at] >= endNs || sums.endNs[at] <= startNs) continue;
    const stored = endedWithin(trace, thread, sums.startNs[at], sums.endNs[at]);
    kept.counted += sums.count[at];
    kept.stored += stored;
    if (stored !== sums.count[at]) kept.equal = false;
    if (kept.toNs !== -Infinity && sums.startNs[at] !== kept.toNs) kept.adjoining = false;
    kept.fromNs = Math.min(kept.fromNs, sums.startNs[at]);
    kept.toNs = Math.max(kept.toNs, sums.endNs[at]);
  }
  return kept;
}

/**
 * Whether every switch that the recorder counted of `thread` over [startNs, endNs) is stored. The
 * range must end before the thread's last stored switch does. A switch that is under way at endNs
 * is counted when it ends, so the buckets up to the end of the next stored switch must agree too:
 * intervals of one thread are disjoint, and none can be missing before that.
 */
export function allKept(trace: Trace, thread: number, startNs: number, endNs: number): boolean {
  const index = traceIndex(trace);
  if (index.activity().summarisedSwitches[thread] > 0) return false;
  const { latestEndsNs } = index.switchesOf(thread);
  const nextEndNs = latestEndsNs.nsAt(latestEndsNs.lowerBound(endNs));
  if (nextEndNs === undefined) return false;
  const kept = keptOfCounted(trace, thread, startNs, nextEndNs + 1);
  return kept.equal && kept.adjoining && kept.fromNs <= startNs && kept.toNs > nextEndNs;
}

/** In words, nothing where the recorder kept no sums of this thread here. */
export function keptText(trace: Trace, kept: Kept, endNs: number): string | undefined {
  const { counted, stored, fromNs, toNs } = kept;
  if (counted === 0) return undefined;
  // The first bucket can begin before the trace, the last end after it.
  const shownTo = Math.min(toNs, Math.max(trace.meta.lengthNs, endNs));
  const range = `Between ${formatMoment(Math.max(0, fromNs))} and ${formatMoment(shownTo)}`;
  if (stored > counted)
    return `${range} the file holds ${formatCount(stored)} of its switches, more than the ${formatCount(counted)} the recorder counted, so its count proves nothing.`;
  return `${range} the recorder counted ${plural(counted, 'switch', 'switches')} of it; ${formatCount(stored)} of them are in this file.`;
}

/** A recorder counts a switch when the thread comes back on a CPU. */
function endedWithin(trace: Trace, thread: number, fromNs: number, toNs: number): number {
  const { startNs, durationNs } = trace.tables.off_cpu.columns;
  const { rows, latestEndsNs } = traceIndex(trace).switchesOf(thread);
  let stored = 0;
  // No row before the first whose latest end reaches the range can end in it.
  for (let at = latestEndsNs.lowerBound(fromNs); at < rows.length; at++) {
    const beginNs = startNs[rows[at]];
    if (beginNs >= toNs) break;
    const endNs = beginNs + durationNs[rows[at]];
    if (endNs >= fromNs && endNs < toNs) stored++;
  }
  return stored;
}
