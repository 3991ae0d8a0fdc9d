import type { Trace } from '../../shared/model/trace.ts';
import { lowerBoundBy } from '../../shared/numbers/bisect.ts';
import { rowsOfIndex, type SortedRows } from '../index/sorted-rows.ts';
import { traceIndex } from '../index/trace-index.ts';

/** Page faults and allocations of one thread; a figure this trace does not have is absent. */
export interface MemoryCounts {
  readonly minorFaults?: number;
  readonly majorFaults?: number;
  readonly pageAllocations?: number;
  readonly pageAllocationBytes?: number;
}

/** The part of `events` that starts in [startNs, endNs): places from `first` up to `end`. */
export function startingWithin(
  { startsNs }: SortedRows,
  startNs: number,
  endNs: number,
): { first: number; end: number } {
  const first = startsNs.lowerBound(startNs);
  return { first, end: Math.max(first, startsNs.lowerBound(endNs)) };
}

/**
 * What is known of `thread` over [startNs, endNs): single page faults, else those of whole slices on
 * a CPU in it, which is at least so many. Page allocations that were added up over some time count
 * where all that time lies in the range; that none were made is said only where no such time is cut.
 */
export function memoryCounts(
  trace: Trace,
  thread: number,
  startNs: number,
  endNs: number,
): MemoryCounts {
  return {
    ...faultCounts(trace, thread, startNs, endNs),
    ...pageAllocations(trace, thread, startNs, endNs),
  };
}

/** As memoryCounts, of page faults alone. */
export function faultCounts(
  trace: Trace,
  thread: number,
  startNs: number,
  endNs: number,
): Pick<MemoryCounts, 'minorFaults' | 'majorFaults'> {
  return trace.tables.page_fault.provenance.kind === 'exact'
    ? storedFaults(trace, thread, startNs, endNs)
    : slicedFaults(trace, thread, startNs, endNs);
}

function storedFaults(trace: Trace, thread: number, startNs: number, endNs: number): MemoryCounts {
  const { major } = trace.tables.page_fault.columns;
  if (major === undefined) return {};
  const faults = faultsWithin(trace, thread, startNs, endNs);
  const majorFaults = faults.reduce((sum, row) => sum + (major[row] === 1 ? 1 : 0), 0);
  return { minorFaults: faults.length - majorFaults, majorFaults };
}

/** The rows of page_fault of `thread` that start in [startNs, endNs): found by their times where these stand. */
export function faultsWithin(
  trace: Trace,
  thread: number,
  startNs: number,
  endNs: number,
): Uint32Array {
  const startsNs = trace.tables.page_fault.columns.startNs;
  const rows = rowsOfIndex(traceIndex(trace).rowsBy('page_fault'), thread);
  const placeOf = (ns: number) => lowerBoundBy(rows, ns, (row) => startsNs[row]);
  return rows.subarray(placeOf(startNs), placeOf(endNs));
}

/** A row of off_cpu counts the faults since the end of the one before. */
function slicedFaults(trace: Trace, thread: number, startNs: number, endNs: number): MemoryCounts {
  const { minorFaults, majorFaults } = trace.tables.off_cpu.columns;
  if (minorFaults === undefined || majorFaults === undefined) return {};
  const switches = traceIndex(trace).switchesOf(thread);
  const { first, end } = startingWithin(switches, startNs, endNs);
  // The slice that the first one ends may have begun before the range; all others begin in it.
  const isCut = first > 0 && switches.latestEndsNs.nsAt(first - 1) < startNs;
  let [minor, major, known] = [0, 0, false];
  for (let at = isCut ? first + 1 : Math.max(1, first); at < end; at++) {
    const row = switches.rows[at];
    if (minorFaults[row] < 0) continue;
    minor += minorFaults[row];
    major += Math.max(0, majorFaults[row]);
    known = true;
  }
  return known ? { minorFaults: minor, majorFaults: major } : {};
}

function pageAllocations(
  trace: Trace,
  thread: number,
  startNs: number,
  endNs: number,
): MemoryCounts {
  const { columns, provenance, rows } = trace.tables.page_alloc;
  const everyNs = provenance.kind === 'aggregated' ? (provenance.everyNs ?? Infinity) : 0;
  if (provenance.kind !== 'exact' && (provenance.kind !== 'aggregated' || rows === 0)) return {};
  const allocations = traceIndex(trace).rowsOf('page_alloc', thread);
  const { first, end } = startingWithin(allocations, startNs - everyNs, endNs);
  let [count, bytes, cut] = [0, 0, 0];
  for (let at = first; at < end; at++) {
    const beganNs = allocations.startsNs.nsAt(at);
    const endedNs = Math.min(allocations.startsNs.nsAt(at + 1) ?? Infinity, beganNs + everyNs);
    if (beganNs < startNs ? endedNs > startNs : endedNs > endNs) cut++;
    else if (beganNs >= startNs) {
      count++;
      bytes += Math.max(0, columns.bytes[allocations.rows[at]]);
    }
  }
  if (bytes === 0 && cut > 0) return {};
  return { ...(everyNs === 0 && { pageAllocations: count }), pageAllocationBytes: bytes };
}
