import type { TimeSpan } from '../../shared/answers/summary.ts';
import type { Trace } from '../../shared/model/trace.ts';
import { onceFor } from './per-trace.ts';
import { traceIndex } from './trace-index.ts';

const LOADER_NEXT = /^enumerate\(DataLoader\)#.*__next__$/;

/** The range of the loader that takes more than half of [startNs, endNs) on `thread`, and how many ns of it. */
export function loaderRangeOver(
  trace: Trace,
  thread: number,
  [startNs, endNs]: TimeSpan,
): { readonly name: string; readonly ns: number } | undefined {
  const { columns } = trace.tables.range;
  const isNext = nextNames(trace);
  if (thread < 0 || !isNext.includes(true)) return undefined;
  const { rows, startsNs, latestEndsNs } = traceIndex(trace).rowsOf('range', thread);
  const end = startsNs.lowerBound(endNs);
  for (let at = latestEndsNs.upperBound(startNs); at < end; at++) {
    const row = rows[at];
    const toNs = Math.min(endNs, columns.startNs[row] + columns.durationNs[row]);
    const ns = toNs - Math.max(startNs, columns.startNs[row]);
    if (isNext[columns.op[row]] && ns * 2 > endNs - startNs)
      return { name: trace.names[columns.op[row]], ns };
  }
  return undefined;
}

/** By name: whether it is that of the loader’s `__next__`. */
export const nextNames = onceFor(
  ({ names }: Pick<Trace, 'names'>): Trace['names'] => names,
  ({ names }): readonly boolean[] => names.map((name) => LOADER_NEXT.test(name)),
);
