import type { Rank } from '../../shared/answers/jobs.ts';
import type { TimeSpan } from '../../shared/answers/summary.ts';
import { NONE } from '../../shared/model/schema.ts';
import type { Trace } from '../../shared/model/trace.ts';
import { lowerBound, upperBound } from '../../shared/numbers/bisect.ts';
import { nextNames } from '../index/loader-next.ts';
import { SpanList, type Spans } from '../index/spans.ts';
import { traceIndex } from '../index/trace-index.ts';
import { PHASE } from '../loop/phase-list.ts';
import type { GapSplit } from './gap-split.ts';

/**
 * Ranges that a recorder put around the loader's `__next__`. PyTorch's profiler names them
 * `enumerate(DataLoader)#_MultiProcessingDataLoaderIter.__next__` (torch/utils/data/dataloader.py).
 */
export interface LoaderRanges {
  /** Those on the training thread, within the window; joined where one lies in another. */
  readonly spans: Spans;
  readonly count: number;
  /** Such ranges within the window on other threads: these prefetch, and do not hold up the loop. */
  readonly elsewhere: number;
}

/** The loader's class tells that it has no workers. */
const SINGLE_PROCESS = /^enumerate\(DataLoader\)#_SingleProcess/;

/** Likewise, that it has some: how many, no name tells. */
const SEVERAL_PROCESSES = /^enumerate\(DataLoader\)#_MultiProcessing/;

/** Rows of the ranges within the window, on the training thread, in which a loader without workers made a batch. */
export function ownLoadingRanges(trace: Trace, rank: Rank, window: TimeSpan): number[] {
  return rangesNamed(trace, rank, window, SINGLE_PROCESS);
}

/** Whether the training thread waited for a loader that has workers, by the name of its class. */
export function namesWorkers(trace: Trace, rank: Rank, window: TimeSpan): boolean {
  return rangesNamed(trace, rank, window, SEVERAL_PROCESSES).length > 0;
}

function rangesNamed(trace: Trace, rank: Rank, window: TimeSpan, called: RegExp): number[] {
  const { startNs, durationNs, op } = trace.tables.range.columns;
  const isOwn = trace.names.map((name) => called.test(name));
  if (!isOwn.includes(true)) return [];
  return Array.from(traceIndex(trace).rowsOf('range', rank.mainThread).rows).filter(
    (row) =>
      isOwn[op[row]] && startNs[row] < window[1] && startNs[row] + durationNs[row] > window[0],
  );
}

export function loaderRanges(trace: Trace, rank: Rank, window: TimeSpan): LoaderRanges {
  const { startNs, durationNs, thread, op, endThread } = trace.tables.range.columns;
  const isNext = nextNames(trace);
  const spans = new SpanList(window);
  const found = { count: 0, elsewhere: 0 };
  if (!isNext.includes(true)) return { ...found, spans: spans.spans() };
  const isWithin = (row: number) =>
    isNext[op[row]] && startNs[row] < window[1] && startNs[row] + durationNs[row] > window[0];
  for (const row of traceIndex(trace).rowsOf('range', rank.mainThread).rows) {
    const endedOn = endThread?.[row] ?? NONE;
    if (!isWithin(row) || (endedOn !== NONE && endedOn !== rank.mainThread)) continue;
    spans.add(startNs[row], startNs[row] + durationNs[row]);
    found.count++;
  }
  for (let row = 0; row < startNs.length; row++) {
    const isOwn = trace.threads[thread[row]]?.process === rank.process;
    if (isOwn && thread[row] !== rank.mainThread && isWithin(row)) found.elsewhere++;
  }
  return { ...found, spans: spans.spans() };
}

/** Splits the time between two CUDA calls: input within a range of the loader, other outside of them. */
export function rangeSplitter({ spans: { startsNs, endsNs } }: LoaderRanges): GapSplit {
  return (_gap, fromNs, toNs, put) => {
    const end = lowerBound(startsNs, toNs);
    for (let at = upperBound(endsNs, fromNs); at < end; at++) {
      put(Math.max(fromNs, startsNs[at]), PHASE.other);
      put(Math.min(toNs, endsNs[at]), PHASE.input);
    }
    put(toNs, PHASE.other);
  };
}
