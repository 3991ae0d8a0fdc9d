import type { Trace } from '../../shared/model/trace.ts';
import {
  type CountedSums,
  countedSums,
  mainThreads,
  sumKeys,
  summarisedEvents,
} from './counted-sums.ts';
import { mergeRows } from './merge-rows.ts';

/**
 * What each thread did over the whole file, by index into threads: the recorder's own sums, and the
 * stored events that are in none of them. Where there are neither, 0.
 */
export interface ThreadActivity {
  readonly switches: Float64Array;
  readonly offCpuNs: Float64Array;
  readonly longestOffCpuNs: Float64Array;
  readonly pageAllocations: Float64Array;
  readonly pageAllocationBytes: Float64Array;
  /** Whether page allocations are known by process only; they then stand at its main thread. */
  readonly pagesByProcess: boolean;
  /** Whether this trace has switches at all, single or summed; if not, the zeros mean nothing. */
  readonly hasSwitches: boolean;
  /** The same for page allocations. */
  readonly hasPages: boolean;
  /** Buckets in which the file holds switches that the recorder did not count. */
  readonly uncountedSwitchBuckets: number;
  /** The same for page allocations. */
  readonly uncountedPageBuckets: number;
  /** The recorder's own sums of switches, for coverage. */
  readonly switchSums: CountedSums;
  readonly pageSums: CountedSums;
  /** Switches that the recorder summed in the kernel instead of writing them: in no other figure. */
  readonly summarisedSwitches: Float64Array;
}

/** The activity of every thread of `trace`: one pass over its switches and page allocations. */
export function threadActivity(trace: Trace): ThreadActivity {
  const { off_cpu: offCpu, page_alloc: pageAlloc } = trace.tables;
  const mainOf = mainThreads(trace);
  const switchSums = countedSums(trace, 'off_cpu', mainOf);
  const switches = mergeRows(trace.threads.length, switchSums, {
    thread: offCpu.columns.thread,
    startNs: offCpu.columns.startNs,
    durationNs: offCpu.columns.durationNs,
  });
  const pageSums = countedSums(trace, 'page_alloc', mainOf);
  const pagesByProcess = sumKeys.page_alloc === 'process' && pageSums.thread.length > 0;
  const pages = mergeRows(trace.threads.length, pageSums, {
    thread: pagesByProcess
      ? Int32Array.from(pageAlloc.columns.thread, (thread) => mainOf[thread] ?? thread)
      : pageAlloc.columns.thread,
    startNs: pageAlloc.columns.startNs,
    bytes: pageAlloc.columns.bytes,
  });
  return {
    switches: switches.count,
    offCpuNs: switches.totalNs,
    longestOffCpuNs: switches.maxNs,
    pageAllocations: pages.count,
    pageAllocationBytes: pages.bytes,
    pagesByProcess,
    hasSwitches: offCpu.rows > 0 || switchSums.thread.length > 0,
    hasPages: pageAlloc.rows > 0 || pageSums.thread.length > 0,
    uncountedSwitchBuckets: switches.uncountedBuckets,
    uncountedPageBuckets: pages.uncountedBuckets,
    switchSums,
    pageSums,
    summarisedSwitches: summarisedEvents(trace, 'off_cpu'),
  };
}
