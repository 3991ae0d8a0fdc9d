import type { CallMemory } from '../../shared/answers/explanation.ts';
import type { Rank } from '../../shared/answers/jobs.ts';
import type { Trace } from '../../shared/model/trace.ts';
import { whyMissing } from '../../shared/words/why-missing.ts';
import { jobIndex, rankOfThread } from '../jobs/job-index.ts';
import { labelThread } from '../jobs/thread-label.ts';
import { isCopyCall } from '../operations/copy-facts.ts';
import { bestRateOf } from './best-rate.ts';
import { whereToCapture } from './call-sums.ts';
import { faultRanges, faultTimeNs } from './fault-ranges.ts';
import { type MemoryCounts, memoryCounts } from './memory-counts.ts';

/** Threads of the job that are listed beside the call’s own. */
const OTHERS_SHOWN = 20;

/**
 * Page faults and allocations while `call` (a row of cuda_call) lasted: of its own thread inside it,
 * and of the other threads of its rank meanwhile. What is not recorded is absent, and the note says so.
 */
export function callMemory(trace: Trace, call: number): CallMemory {
  const { columns } = trace.tables.cuda_call;
  const thread = columns.thread[call];
  const startNs = columns.startNs[call];
  const endNs = startNs + columns.durationNs[call];
  const single = trace.tables.page_fault.provenance.kind === 'exact';
  const { minorFaults, majorFaults, ...allocated } = memoryCounts(trace, thread, startNs, endNs);
  const isKnown = single && minorFaults !== undefined && majorFaults !== undefined;
  const bestRate = isCopyCall(trace, call) ? bestRateOf(trace, call) : undefined;
  const counts: MemoryCounts = {
    ...allocated,
    ...(isKnown && { minorFaults, majorFaults }),
    ...measuredFaults(trace, call),
  };
  return {
    ...counts,
    ...(single && { faultNs: faultTimeNs(trace, thread, startNs, endNs) }),
    ranges: single ? faultRanges(trace, thread, startNs, endNs) : [],
    others: othersOf(trace, rankOfThread(trace, thread), thread, startNs, endNs),
    ...(bestRate !== undefined && { bestRate }),
    note: noteOf(trace, counts, single),
  };
}

/** What the recorder counted from the call’s entry to its return. */
function measuredFaults(trace: Trace, call: number): MemoryCounts {
  const { minorFaults, majorFaults } = trace.tables.cuda_call.columns;
  const [minor, major] = [minorFaults?.[call] ?? -1, majorFaults?.[call] ?? -1];
  return {
    ...(minor >= 0 && { minorFaults: minor }),
    ...(major >= 0 && { majorFaults: major }),
  };
}

/** What the other threads of a rank faulted and allocated in [startNs, endNs), of those that did. */
export function othersMemory(
  trace: Trace,
  rank: Rank | undefined,
  self: number,
  startNs: number,
  endNs: number,
): { readonly thread: number; readonly counts: MemoryCounts }[] {
  const index = jobIndex(trace);
  const threads = (rank?.processes ?? []).flatMap((process) => index.threadsOf(process));
  return threads
    .filter((thread) => thread !== self && mayLive(trace, thread, startNs, endNs))
    .map((thread) => ({ thread, counts: memoryCounts(trace, thread, startNs, endNs) }))
    .filter(({ counts }) => weightOf(counts) > 0);
}

function othersOf(
  trace: Trace,
  rank: Rank | undefined,
  self: number,
  startNs: number,
  endNs: number,
): CallMemory['others'] {
  return othersMemory(trace, rank, self, startNs, endNs)
    .sort((a, b) => weightOf(b.counts) - weightOf(a.counts))
    .slice(0, OTHERS_SHOWN)
    .map(({ thread, counts }) => ({ thread: labelThread(trace, thread, rank), ...counts }));
}

function mayLive(trace: Trace, thread: number, startNs: number, endNs: number): boolean {
  const info = trace.threads[thread];
  return (info.startNs ?? -Infinity) < endNs && (info.endNs ?? Infinity) > startNs;
}

/** Threads are listed by their faults, then by what they allocated. */
function weightOf({ minorFaults = 0, majorFaults = 0, pageAllocationBytes = 0 }: MemoryCounts) {
  return minorFaults + majorFaults + pageAllocationBytes / 2 ** 20;
}

function noteOf(trace: Trace, counts: MemoryCounts, single: boolean): string {
  const { page_alloc: pageAlloc } = trace.tables;
  const capture = `capture with the profile “faults”${whereToCapture(trace)}.`;
  const sentences = [
    counts.minorFaults === undefined
      ? `Page faults inside the call are not recorded: ${capture}`
      : '',
    single || counts.minorFaults === undefined
      ? ''
      : `How long faults took is not recorded: ${capture} For other threads, there were at least this many: only slices within the call are counted.`,
    pageAlloc.provenance.kind === 'aggregated' && counts.pageAllocationBytes !== undefined
      ? 'Page allocations are added up over some time: at least this much was within the call.'
      : '',
    counts.pageAllocationBytes === undefined ? missingAllocations(trace) : '',
  ];
  return sentences.filter((sentence) => sentence !== '').join(' ');
}

function missingAllocations(trace: Trace): string {
  const { provenance, rows } = trace.tables.page_alloc;
  if (provenance.kind === 'aggregated' && rows > 0)
    return 'Page allocations are added up over longer than this call.';
  const note = whyMissing(trace.tables, 'page_alloc', 'Page allocations are not recorded.');
  return `${note} Capture with the profile “page-allocs”${whereToCapture(trace)}.`;
}
