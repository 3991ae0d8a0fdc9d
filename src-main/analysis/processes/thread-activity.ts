import type { Activity } from '../../shared/answers/process-breakdown.ts';
import type { EventRef } from '../../shared/model/event-ref.ts';
import { isPreempted } from '../../shared/model/task-state.ts';
import type { Trace } from '../../shared/model/trace.ts';
import { traceIndex } from '../index/trace-index.ts';
import { countCudaCalls } from '../jobs/cuda-threads.ts';
import { faultCounts, memoryCounts, startingWithin } from '../threads/memory-counts.ts';
import { stateTotals } from '../threads/state-totals.ts';

/** A stretch of time, and whether it is all of the trace: the recorder's sums are of all only. */
export interface ActivitySpan {
  readonly startNs: number;
  readonly endNs: number;
  readonly isWhole: boolean;
}

type Bounds = Omit<ActivitySpan, 'isWhole'>;

/** What one thread did in `span`, as far as the trace says. */
export function activityOfThread(trace: Trace, thread: number, span: ActivitySpan): Activity {
  return {
    ...switchFigures(trace, thread, span),
    ...memoryFigures(trace, thread, span),
    ...cudaFigures(trace, thread, span),
  };
}

type ComparedFigure = 'cpuNs' | 'runnableNs' | 'switches' | 'minorFaults' | 'majorFaults';

/** As activityOfThread, what two runs are compared by alone: the rest takes half as long again, of all threads of a run. */
export function comparedActivity(
  trace: Trace,
  thread: number,
  span: Bounds,
): Pick<Activity, ComparedFigure> {
  const { startNs, endNs } = span;
  const switches = traceIndex(trace).switchesOf(thread);
  const faults = faultCounts(trace, thread, startNs, endNs);
  if (switches.rows.length === 0) return { ...sliceFigures(trace, thread, span), ...faults };
  const { cpuNs, runnableNs } = stateFigures(trace, thread, span);
  const { first, end } = startingWithin(switches, startNs, endNs);
  return {
    ...(cpuNs !== undefined && { cpuNs }),
    ...(runnableNs !== undefined && { runnableNs }),
    switches: end - first,
    ...faults,
  };
}

function switchFigures(trace: Trace, thread: number, span: ActivitySpan): Activity {
  const { rows } = traceIndex(trace).switchesOf(thread);
  const summed = span.isWhole ? summedSwitches(trace, thread) : {};
  if (rows.length === 0) return { ...sliceFigures(trace, thread, span), ...summed };
  return {
    ...stateFigures(trace, thread, span),
    ...countFigures(trace, thread, span),
    // The longest of the recorder's sums is no event of the file.
    ...(summed.longestStallNs === undefined && longestStall(trace, thread, span)),
    ...summed,
  };
}

/** The recorder's own sums, where they come to more than what is stored. */
function summedSwitches(trace: Trace, thread: number): Activity {
  const activity = traceIndex(trace).activity();
  const switches = activity.switches[thread];
  if (activity.switchSums.thread.length === 0 || !(switches > 0)) return {};
  const stored = longestStall(trace, thread, { startNs: 0, endNs: Infinity, isWhole: true });
  const longestNs = activity.longestOffCpuNs[thread];
  return {
    switches,
    offCpuNs: activity.offCpuNs[thread],
    ...(longestNs > (stored.longestStallNs ?? 0) && { longestStallNs: longestNs }),
  };
}

/** A thread that was not followed: the slices in which it held a CPU that another one waited for. */
function sliceFigures(trace: Trace, thread: number, { startNs, endNs }: Bounds): Activity {
  const { rows, latestEndsNs } = traceIndex(trace).rowsOf('on_cpu', thread);
  if (rows.length === 0) return {};
  const { startNs: starts, durationNs } = trace.tables.on_cpu.columns;
  let cpuNs = 0;
  for (let at = latestEndsNs.upperBound(startNs); at < rows.length; at++) {
    const fromNs = starts[rows[at]];
    if (fromNs >= endNs) break;
    cpuNs += Math.max(
      0,
      Math.min(fromNs + durationNs[rows[at]], endNs) - Math.max(fromNs, startNs),
    );
  }
  return { cpuNs };
}

function stateFigures(trace: Trace, thread: number, { startNs, endNs }: Bounds): Activity {
  const totals = stateTotals(trace, thread, startNs, endNs);
  const { state, runQueueNs, throttledNs } = trace.tables.off_cpu.columns;
  const isExact = trace.tables.off_cpu.provenance.kind === 'exact';
  const blockedNs = totals.sleepingNs + totals.diskNs + totals.otherBlockedNs;
  return {
    ...((isExact || totals.runningNs > 0) && { cpuNs: totals.runningNs }),
    ...(runQueueNs !== undefined && { runnableNs: totals.runnableNs }),
    ...(throttledNs !== undefined && { throttledNs: totals.throttledNs }),
    ...(runQueueNs !== undefined && state !== undefined && { blockedNs, diskNs: totals.diskNs }),
  };
}

function countFigures(trace: Trace, thread: number, { startNs, endNs }: ActivitySpan): Activity {
  const { state, durationNs, runQueueNs } = trace.tables.off_cpu.columns;
  const switches = traceIndex(trace).switchesOf(thread);
  const { first, end } = startingWithin(switches, startNs, endNs);
  let [preemptions, offCpuNs] = [0, 0];
  for (let at = first; at < end; at++) {
    const row = switches.rows[at];
    if (isPreempted(state?.[row] ?? -1)) preemptions++;
    offCpuNs += durationNs[row];
  }
  return {
    switches: end - first,
    ...(state !== undefined && { preemptions }),
    ...(runQueueNs === undefined && { offCpuNs }),
  };
}

/** The longest time off the CPU, whole, of those that reach into the span. */
function longestStall(trace: Trace, thread: number, { startNs, endNs }: ActivitySpan): Activity {
  const { startNs: starts, durationNs } = trace.tables.off_cpu.columns;
  const { rows, latestEndsNs } = traceIndex(trace).switchesOf(thread);
  let longest = -1;
  for (let at = latestEndsNs.upperBound(startNs); at < rows.length; at++) {
    const row = rows[at];
    if (starts[row] >= endNs) break;
    if (starts[row] + durationNs[row] <= startNs) continue;
    if (longest === -1 || durationNs[row] > durationNs[longest]) longest = row;
  }
  if (longest === -1) return {};
  const event: EventRef = { table: 'off_cpu', row: longest };
  return { longestStallNs: durationNs[longest], longestStall: event };
}

function memoryFigures(trace: Trace, thread: number, span: ActivitySpan): Activity {
  const { pageAllocationBytes, ...faults } = memoryCounts(trace, thread, span.startNs, span.endNs);
  // Where allocations were only added up, none may mean that they stand elsewhere.
  const isKnown = faults.pageAllocations !== undefined || (pageAllocationBytes ?? 0) > 0;
  const counts = {
    ...faults,
    ...(isKnown && pageAllocationBytes !== undefined && { pageAllocationBytes }),
  };
  const activity = traceIndex(trace).activity();
  if (!span.isWhole || !activity.hasPages || !(activity.pageAllocations[thread] > 0)) return counts;
  return {
    ...counts,
    pageAllocations: activity.pageAllocations[thread],
    pageAllocationBytes: activity.pageAllocationBytes[thread],
  };
}

function cudaFigures(trace: Trace, thread: number, span: ActivitySpan): Activity {
  const { columns, rows: stored } = trace.tables.cuda_call;
  const calls = traceIndex(trace).rowsOf('cuda_call', thread);
  const { onlyCounted, onlyCountedNs } = countCudaCalls(trace).made;
  const [summed, summedNs] = span.isWhole ? [onlyCounted[thread], onlyCountedNs[thread]] : [0, 0];
  if (stored === 0)
    return summed > 0 ? { cudaCalls: summed, ...(summedNs > 0 && { cudaNs: summedNs }) } : {};
  const { first, end } = startingWithin(calls, span.startNs, span.endNs);
  let [count, cudaNs] = [0, 0];
  for (let at = first; at < end; at++) {
    const row = calls.rows[at];
    if ((columns.parent?.[row] ?? -1) >= 0) continue;
    count++;
    cudaNs += Math.min(columns.durationNs[row], span.endNs - columns.startNs[row]);
  }
  // A call under way as the span begins is not counted, but its time is the span's.
  const before = first - 1;
  if (before >= 0 && calls.latestEndsNs.nsAt(before) > span.startNs)
    cudaNs += Math.min(calls.latestEndsNs.nsAt(before), span.endNs) - span.startNs;
  return { cudaCalls: count + summed, cudaNs: cudaNs + summedNs };
}
