import type { Trace } from '../../shared/model/trace.ts';
import { completeRangesOf } from '../coverage/complete-ranges.ts';
import { traceIndex } from '../index/trace-index.ts';
import { jobsOf } from '../jobs/job-index.ts';
import { streamEmptyAt } from '../outstanding/stream-empty.ts';
import { bestRateOf } from '../threads/best-rate.ts';
import { explainCall } from './explain-call.ts';

/**
 * Works out what the first explanation of a call would otherwise, piece by piece: some fifty milliseconds each for ten
 * million events, so that whoever asks meanwhile waits for one of them at most.
 */
export function* prepareExplanations(trace: Trace): Generator<undefined, void> {
  const index = traceIndex(trace);
  const ranks = jobsOf(trace).flatMap((job) => job.ranks);
  const threads = ranks.flatMap(({ cudaThreads }) => cudaThreads);
  for (const table of tables) {
    index.rowsOf(table, -1);
    yield;
  }
  for (const cpu of [-1, ...trace.cpus.keys()]) {
    index.slicesOn(cpu);
    yield;
  }
  for (const thread of trace.threads.keys()) {
    index.rowsOf('page_fault', thread);
    yield;
  }
  bestRateOf(trace, 0);
  yield;
  for (const thread of threads) {
    index.rowsOf('cuda_call', thread);
    yield;
    completeRangesOf(trace, thread);
    yield;
  }
  for (const { mainThread } of ranks) {
    const [first] = index.rowsOf('cuda_call', mainThread).rows;
    if (first !== undefined) streamEmptyAt(trace, first);
    yield;
  }
  // What is left is worked out per thread and group of calls: by explaining the slowest one.
  for (const thread of threads) {
    const call = slowestOf(trace, thread);
    if (call === undefined) continue;
    index.comparableTo(call);
    yield;
    explainCall(trace, call);
    yield;
  }
}

const tables = ['cuda_call', 'page_fault', 'cpu_sample', 'block_io', 'page_alloc'] as const;

function slowestOf(trace: Trace, thread: number): number | undefined {
  const { durationNs } = trace.tables.cuda_call.columns;
  let slowest: number | undefined;
  for (const call of traceIndex(trace).rowsOf('cuda_call', thread).rows)
    if (slowest === undefined || durationNs[call] > durationNs[slowest]) slowest = call;
  return slowest;
}
