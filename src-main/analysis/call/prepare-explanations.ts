import type { Trace } from '../../shared/model/trace.ts';
import type { Pieces } from '../../shared/numbers/pieces.ts';
import { completeRangesOf } from '../coverage/complete-ranges.ts';
import { traceIndex } from '../index/trace-index.ts';
import { jobIndex } from '../jobs/job-index.ts';
import { outstandingWorkAhead } from '../outstanding/outstanding-work.ts';
import { bestRateOf } from '../threads/best-rate.ts';
import { explainCall } from './explain-call.ts';

/**
 * Works out what the first explanation of a call would otherwise, piece by piece: ninety milliseconds of CPU
 * time at most for ten million events, so that whoever asks meanwhile waits for one of them at most.
 */
export function* prepareExplanations(trace: Trace): Pieces<void> {
  const index = traceIndex(trace);
  const jobs = jobIndex(trace);
  const ranks = jobs.jobs.flatMap((job) => job.ranks);
  const threads = ranks.flatMap(({ cudaThreads }) => cudaThreads);
  for (const table of tables) {
    index.rowsOf(table, -1);
    yield;
  }
  // Slices may be of CPUs that the trace does not list.
  const cpus = index.rowsBy('slices').offsets.length - 1;
  yield;
  for (let cpu = -1; cpu < cpus; cpu++) {
    index.slicesOn(cpu);
    yield;
  }
  index.activity();
  yield;
  for (const thread of trace.threads.keys()) {
    index.rowsOf('page_fault', thread);
    yield;
  }
  // Of the job alone: lists of all tables and threads of a machine would be many, and few of them are asked for.
  for (const thread of ranks.flatMap(({ processes }) =>
    processes.flatMap((process) => jobs.threadsOf(process)),
  )) {
    index.switchesOf(thread);
    yield;
    for (const table of tablesOfWaits) {
      index.rowsOf(table, thread);
      yield;
    }
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
    const process = trace.threads[mainThread]?.process ?? -1;
    if (process >= 0) yield* outstandingWorkAhead(trace, process);
    yield;
  }
  // What is left is worked out per thread and group of calls. Long calls come last: the engine has compiled by then
  // what explains them.
  for (const thread of threads) {
    for (const call of callsByLength(trace, thread)) {
      yield* index.comparableAhead(call);
      yield;
      explainCall(trace, call);
      yield;
    }
  }
}

const tables = ['cuda_call', 'page_fault', 'cpu_sample', 'block_io', 'page_alloc'] as const;
const tablesOfWaits = ['wakeup', 'cpu_sample', 'block_io', 'syscall'] as const;

/** Of the calls of a thread the slowest of each length, by powers of two; the shortest first. */
function callsByLength(trace: Trace, thread: number): readonly number[] {
  const { durationNs } = trace.tables.cuda_call.columns;
  const slowest = new Map<number, number>();
  for (const call of traceIndex(trace).rowsOf('cuda_call', thread).rows) {
    const length = Math.floor(Math.log2(1 + durationNs[call]));
    const known = slowest.get(length);
    if (known === undefined || durationNs[call] > durationNs[known]) slowest.set(length, call);
  }
  return [...slowest].toSorted(([a], [b]) => a - b).map(([, call]) => call);
}
