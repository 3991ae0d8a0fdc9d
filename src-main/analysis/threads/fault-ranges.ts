import type { CallMemory } from '../../shared/answers/explanation.ts';
import type { Trace } from '../../shared/model/trace.ts';
import { traceIndex } from '../index/trace-index.ts';
import { faultsWithin } from './memory-counts.ts';
import { withinRuns } from './running-time.ts';

const PAGE_BYTES = 4096;
/** Faults closer than this to each other are of one range: a huge page’s worth may be mapped at once. */
const ONE_RANGE_BYTES = 2 ** 21;
const SHOWN = 10;

/** The addresses at which `thread` faulted in [startNs, endNs), joined to ranges, most faults first. */
export function faultRanges(
  trace: Trace,
  thread: number,
  startNs: number,
  endNs: number,
): CallMemory['ranges'] {
  const { address } = trace.tables.page_fault.columns;
  if (address === undefined) return [];
  const faults = faultsWithin(trace, thread, startNs, endNs);
  const addresses = Float64Array.from(faults, (row) => address[row])
    .filter((at) => at >= 0)
    .sort();
  const ranges: { startAddress: number; endAddress: number; faults: number }[] = [];
  for (const at of addresses) {
    const page = Math.floor(at / PAGE_BYTES) * PAGE_BYTES;
    const last = ranges.at(-1);
    if (last !== undefined && page - last.endAddress <= ONE_RANGE_BYTES) {
      last.endAddress = page + PAGE_BYTES;
      last.faults++;
    } else ranges.push({ startAddress: page, endAddress: page + PAGE_BYTES, faults: 1 });
  }
  return ranges.sort((a, b) => b.faults - a.faults).slice(0, SHOWN);
}

/** ns of [startNs, endNs) that `thread` spent in page faults, whether it ran or waited for a page there. */
export function faultTimeNs(trace: Trace, thread: number, startNs: number, endNs: number): number {
  let sumNs = 0;
  const runs = { startsNs: [startNs], endsNs: [endNs] };
  const faults = traceIndex(trace).rowsOf('page_fault', thread);
  withinRuns(runs, faults, trace.tables.page_fault.columns.durationNs, (_row, ns) => {
    sumNs += ns;
  });
  return sumNs;
}
