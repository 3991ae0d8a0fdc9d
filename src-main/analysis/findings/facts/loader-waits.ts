import { NONE } from '../../../shared/model/schema.ts';
import { isReady } from '../../../shared/model/task-state.ts';
import type { Trace } from '../../../shared/model/trace.ts';
import { onceFor } from '../../index/per-trace.ts';
import { traceIndex } from '../../index/trace-index.ts';
import { type LoaderStage, loaderStacks, loaderStages } from '../../stacks/loader-stacks.ts';
import type { RankFacts } from './facts.ts';
import { makersOf } from './loader-work.ts';

/** Waits of `thread` within `span` whose stacks say where in the loader it was off the CPU. */
export function visitLoaderWaits(
  trace: Trace,
  thread: number,
  span: readonly [number, number],
  visit: (row: number, ns: number, stage: LoaderStage) => void,
): void {
  const { startNs, durationNs, stack } = trace.tables.off_cpu.columns;
  if (stack === undefined) return;
  const stages = loaderStacks(trace).stage;
  const { rows, startsNs, latestEndsNs } = traceIndex(trace).switchesOf(thread);
  const last = startsNs.lowerBound(span[1]);
  for (let at = latestEndsNs.upperBound(span[0]); at < last; at++) {
    const row = rows[at];
    const stage = loaderStages[stages[stack[row]] ?? 0];
    const ns = Math.min(startNs[row] + durationNs[row], span[1]) - Math.max(startNs[row], span[0]);
    if (ns > 0 && stack[row] !== NONE && stage !== 'unknown' && stage !== 'elsewhere')
      visit(row, ns, stage);
  }
}

/** Sleeps while making batches, as far as they have a stack. */
interface LoaderSleep {
  /** Rows of off_cpu. */
  readonly rows: readonly number[];
  readonly ns: number;
}

/** Of the threads that make batches. Once per rank. */
export const loaderSleep = onceFor(
  (facts: RankFacts) => facts,
  (facts): LoaderSleep => {
    const { state } = facts.trace.tables.off_cpu.columns;
    const rows: number[] = [];
    let sumNs = 0;
    for (const thread of makersOf(facts))
      visitLoaderWaits(facts.trace, thread, facts.window, (row, ns, stage) => {
        if (stage === 'loader' || isReady(state?.[row] ?? -1)) return;
        rows.push(row);
        sumNs += ns;
      });
    return { rows, ns: sumNs };
  },
);
