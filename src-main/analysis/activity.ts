import type { Table, Trace } from '../shared/model/trace.ts';
import { type CountedSums, countedSums, mergeRows } from './counted-sums.ts';

/**
 * What each thread did over the whole file, by index into threads. Taken from the recorder's own
 * sums where it kept any; in a time bucket that holds more single events than were counted, the
 * events speak. Where there are neither, 0.
 */
export interface ThreadActivity {
  readonly switches: Float64Array;
  readonly offCpuNs: Float64Array;
  readonly longestOffCpuNs: Float64Array;
  readonly pageAllocations: Float64Array;
  readonly pageAllocationBytes: Float64Array;
  /** Whether this trace has switches at all, single or summed; if not, the zeros mean nothing. */
  readonly hasSwitches: boolean;
  /** The same for page allocations. */
  readonly hasPages: boolean;
  /** Buckets in which the file holds more switches than the recorder says it counted. */
  readonly contradictedBuckets: number;
  /** The recorder's own sums of switches, for coverage. */
  readonly switchSums: CountedSums;
}

/** The activity of every thread of `trace`: one pass over its switches and page allocations. */
export function threadActivity(trace: Trace): ThreadActivity {
  const { off_cpu: offCpu, page_alloc: pageAlloc } = trace.tables;
  const switchSums = sumsOf(trace, offCpu);
  const switches = mergeRows(trace.threads.length, switchSums, {
    thread: offCpu.columns.thread,
    startNs: offCpu.columns.startNs,
    durationNs: offCpu.columns.durationNs,
  });
  const pageSums = sumsOf(trace, pageAlloc);
  const pages = mergeRows(trace.threads.length, pageSums, {
    thread: pageAlloc.columns.thread,
    startNs: pageAlloc.columns.startNs,
    bytes: pageAlloc.columns.bytes,
  });
  return {
    switches: switches.count,
    offCpuNs: switches.totalNs,
    longestOffCpuNs: switches.maxNs,
    pageAllocations: pages.count,
    pageAllocationBytes: pages.bytes,
    hasSwitches: offCpu.rows > 0 || switchSums.thread.length > 0,
    hasPages: pageAlloc.rows > 0 || pageSums.thread.length > 0,
    contradictedBuckets: switches.contradictedBuckets,
    switchSums,
  };
}

function sumsOf(trace: Trace, table: Table<'off_cpu'> | Table<'page_alloc'>): CountedSums {
  const { source, op } = table.recordedAs;
  return countedSums(trace, (index) => trace.names[index] === op && isFrom(trace, index, source));
}

function isFrom(trace: Trace, name: number, source: string): boolean {
  return trace.nameSources[name] === source;
}
