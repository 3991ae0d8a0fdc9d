import type { NumberArray } from '../../shared/model/columns.ts';
import type { Trace } from '../../shared/model/trace.ts';
import type { SortedRows } from '../index/sorted-rows.ts';
import { traceIndex } from '../index/trace-index.ts';

/** Stretches in which a thread held a CPU: disjoint, in order. */
export interface Runs {
  readonly startsNs: number[];
  readonly endsNs: number[];
}

/** ns of the runs in all. */
export function runsNs({ startsNs, endsNs }: Runs): number {
  return startsNs.reduce((sum, startNs, at) => sum + endsNs[at] - startNs, 0);
}

/**
 * The parts of `runs` that lie within the given rows of a table, overlaps counted once. `visit` gets
 * each row and the ns of it.
 */
export function withinRuns(
  { startsNs, endsNs }: Runs,
  rows: SortedRows,
  durationNs: NumberArray,
  visit: (row: number, ns: number) => void,
): void {
  for (let run = 0; run < startsNs.length; run++) {
    let reachedNs = startsNs[run];
    const end = rows.startsNs.lowerBound(endsNs[run]);
    for (let at = rows.latestEndsNs.upperBound(reachedNs); at < end; at++) {
      const fromNs = Math.max(reachedNs, rows.startsNs.nsAt(at));
      const toNs = Math.min(endsNs[run], rows.startsNs.nsAt(at) + durationNs[rows.rows[at]]);
      if (toNs <= fromNs) continue;
      visit(rows.rows[at], toNs - fromNs);
      reachedNs = toNs;
    }
  }
}

/** Clocks of a run queue and of the recorder differ by this much at a switch. */
const CLOCKS_AGREE_WITHIN_NS = 50_000;

/**
 * How long interrupts or the hypervisor had the CPU within `runs` at least: a stretch between two
 * switches less what the kernel charged to the thread for it. Where a stretch lies partly outside,
 * only what cannot have been outside counts.
 */
export function stolenWithin(trace: Trace, thread: number, runs: Runs): number {
  const { executedNs } = trace.tables.off_cpu.columns;
  if (executedNs === undefined) return 0;
  const { rows, startsNs, latestEndsNs } = traceIndex(trace).switchesOf(thread);
  let stolenNs = 0;
  for (let run = 0; run < runs.startsNs.length; run++) {
    const next = startsNs.lowerBound(runs.endsNs[run]);
    if (next === 0 || next >= rows.length || executedNs[rows[next]] < 0) continue;
    const wholeNs = startsNs.nsAt(next) - latestEndsNs.nsAt(next - 1);
    const outsideNs = wholeNs - (runs.endsNs[run] - runs.startsNs[run]);
    const missingNs = wholeNs - executedNs[rows[next]];
    if (missingNs <= CLOCKS_AGREE_WITHIN_NS) continue;
    stolenNs += Math.max(0, missingNs - Math.max(0, outsideNs));
  }
  return stolenNs;
}
