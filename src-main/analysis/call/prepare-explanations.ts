import type { Trace } from '../../shared/model/trace.ts';
import { completeRangesOf } from '../coverage/complete-ranges.ts';
import { traceIndex } from '../index/trace-index.ts';
import { jobsOf } from '../jobs/job-index.ts';
import { streamEmptyAt } from '../outstanding/stream-empty.ts';
import { bestRateOf } from '../threads/best-rate.ts';
import { explainCall } from './explain-call.ts';

/**
 * What the first explanation of a call would otherwise work out, in steps of a fraction of a second
 * for ten million events: to be done one by one when a trace is open and nobody waits.
 */
export function preparationSteps(trace: Trace): (() => void)[] {
  const index = traceIndex(trace);
  const ranks = () => jobsOf(trace).flatMap((job) => job.ranks);
  const tables = ['cuda_call', 'page_fault', 'cpu_sample', 'block_io', 'page_alloc'] as const;
  return [
    ...tables.map((table) => () => void index.rowsOf(table, -1)),
    () => void index.slicesOn(-1),
    () => void bestRateOf(trace, 0),
    () => {
      for (const { cudaThreads } of ranks())
        for (const thread of cudaThreads) void completeRangesOf(trace, thread);
    },
    () => {
      for (const { mainThread } of ranks()) {
        const [first] = index.rowsOf('cuda_call', mainThread).rows;
        if (first !== undefined) void streamEmptyAt(trace, first);
      }
    },
    // What is left is worked out per thread and group of calls: by explaining the slowest one.
    () => {
      for (const { cudaThreads } of ranks())
        for (const thread of cudaThreads) {
          const call = slowestOf(trace, thread);
          if (call !== undefined) void explainCall(trace, call);
        }
    },
  ];
}

function slowestOf(trace: Trace, thread: number): number | undefined {
  const { durationNs } = trace.tables.cuda_call.columns;
  let slowest: number | undefined;
  for (const call of traceIndex(trace).rowsOf('cuda_call', thread).rows)
    if (slowest === undefined || durationNs[call] > durationNs[slowest]) slowest = call;
  return slowest;
}
