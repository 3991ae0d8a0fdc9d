import type { TimeSpan } from '../../shared/answers/summary.ts';
import { hostIndexOf, isGapOf } from '../../shared/model/hosts.ts';
import { mayHaveLost } from '../../shared/model/lost-table.ts';
import type { Trace } from '../../shared/model/trace.ts';
import { lowerBound } from '../../shared/numbers/bisect.ts';
import { firstSumOf } from '../index/counted-sums.ts';
import { perNumber } from '../index/per-trace.ts';
import type { SortedRows } from '../index/sorted-rows.ts';
import { traceIndex } from '../index/trace-index.ts';
import { observedSpan } from './observed-span.ts';

/** Most ranges of one trace. A recorder that lost events in more places than these has larger worries. */
const MAX_RANGES = 20_000;

/**
 * Where every switch is stored, by thread and in order of time: the ranges within which
 * `switchCoverage` calls everything complete. What exceeds `limit` ranges is left out, of the last
 * threads first: a range too few only says less.
 */
export function completeRanges(trace: Trace, limit = MAX_RANGES): TimeSpan[][] {
  let left = limit;
  return trace.threads.map((_, thread) => {
    const ranges = completeRangesOf(trace, thread).slice(0, left);
    left -= ranges.length;
    return ranges;
  });
}

/** The ranges of one thread, at most 20,000. */
export const completeRangesOf = perNumber((trace, thread): readonly TimeSpan[] => {
  const { provenance, rows } = trace.tables.off_cpu;
  const isExact = provenance.kind === 'exact';
  if (rows === 0 || !(isExact || provenance.kind === 'partial')) return [];
  const switches = traceIndex(trace).switchesOf(thread);
  const kept = isExact ? observed(trace, thread) : countedSpans(trace, thread, switches);
  const doubted = switchGaps(trace, hostIndexOf(trace, thread)).map(
    ([startNs, endNs]): TimeSpan => [doubtedFromNs(switches, startNs), endNs],
  );
  return withoutGaps(kept, doubted, MAX_RANGES);
});

function spanOf(startNs: number, endNs: number): TimeSpan[] {
  return endNs > startNs ? [[startNs, endNs]] : [];
}

function observed(trace: Trace, thread: number): TimeSpan[] {
  const span = observedSpan(trace, thread);
  return span === undefined ? [] : spanOf(...span);
}

/**
 * The runs of buckets that hold all that was counted, each up to the last switch that ended in it:
 * one under way when a run ends may be missing.
 */
function countedSpans(trace: Trace, thread: number, switches: SortedRows): TimeSpan[] {
  const { startsNs, latestEndsNs } = switches;
  if (startsNs.length === 0) return [];
  return equalRuns(trace, thread, sortedEnds(trace, switches)).flatMap(([startNs, endNs]) => {
    const ended = latestEndsNs.lowerBound(endNs);
    return ended === 0
      ? []
      : spanOf(Math.max(startNs, startsNs.nsAt(0)), latestEndsNs.nsAt(ended - 1));
  });
}

/** The recorder's adjoining buckets in which as many switches ended as it counted, joined. */
function equalRuns(trace: Trace, thread: number, endsNs: Float64Array): TimeSpan[] {
  const { switchSums: sums, summarisedSwitches } = traceIndex(trace).activity();
  if (summarisedSwitches[thread] > 0) return [];
  const runs: TimeSpan[] = [];
  let coveredNs = -Infinity;
  for (let at = firstSumOf(sums, thread); sums.thread[at] === thread; at++) {
    const startNs = sums.startNs[at];
    const endNs = sums.endNs[at];
    // Of buckets that overlap none proves anything.
    const nextNs = sums.thread[at + 1] === thread ? sums.startNs[at + 1] : Infinity;
    const isAlone = startNs >= coveredNs && endNs <= nextNs;
    const stored = lowerBound(endsNs, endNs) - lowerBound(endsNs, startNs);
    const last = runs.at(-1);
    if (isAlone && stored === sums.count[at]) {
      if (last?.[1] === startNs) runs[runs.length - 1] = [last[0], endNs];
      else runs.push([startNs, endNs]);
    }
    coveredNs = Math.max(coveredNs, endNs);
  }
  return runs;
}

function sortedEnds(trace: Trace, { rows }: SortedRows): Float64Array {
  const { startNs, durationNs } = trace.tables.off_cpu.columns;
  return Float64Array.from(rows, (row) => startNs[row] + durationNs[row]).sort();
}

/** The gaps that may have lost switches of a host, in order, overlapping ones joined. */
const switchGaps = perNumber((trace, host): readonly TimeSpan[] => {
  const { columns, rows } = trace.tables.gap;
  const gaps: TimeSpan[] = [];
  for (let row = 0; row < rows; row++) {
    if (!mayHaveLost(trace, columns.op?.[row] ?? -1, 'off_cpu')) continue;
    if (!isGapOf(trace, row, host)) continue;
    const startNs = columns.startNs[row];
    const endNs = startNs + columns.durationNs[row];
    const last = gaps.at(-1);
    if (last !== undefined && startNs <= last[1])
      gaps[gaps.length - 1] = [last[0], Math.max(last[1], endNs)];
    else gaps.push([startNs, endNs]);
  }
  return gaps;
});

/** At most `limit` ranges: `spans` less `gaps`, both in order and disjoint. */
function withoutGaps(
  spans: readonly TimeSpan[],
  gaps: readonly TimeSpan[],
  limit: number,
): TimeSpan[] {
  const kept: TimeSpan[] = [];
  let gap = 0;
  for (const [startNs, endNs] of spans) {
    while (gap < gaps.length && gaps[gap][1] <= startNs) gap++;
    let fromNs = startNs;
    for (let at = gap; gaps[at]?.[0] < endNs; at++) {
      if (kept.length >= limit) return kept;
      kept.push(...spanOf(fromNs, gaps[at][0]));
      fromNs = gaps[at][1];
    }
    if (kept.length >= limit) return kept;
    kept.push(...spanOf(fromNs, endNs));
  }
  return kept;
}

/**
 * From when on switches that a gap lost may be missing: a wait is recorded when it ends, so one that
 * ended in the gap began anywhere after the last one before it that is stored.
 */
export function doubtedFromNs({ startsNs, latestEndsNs }: SortedRows, gapStartNs: number): number {
  const ended = latestEndsNs.upperBound(gapStartNs);
  const isUnderWay = startsNs.nsAt(ended) <= gapStartNs;
  return isUnderWay || ended === 0 ? gapStartNs : latestEndsNs.nsAt(ended - 1);
}
