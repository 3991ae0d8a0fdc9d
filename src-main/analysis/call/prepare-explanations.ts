import type { Trace } from '../../shared/model/trace.ts';
import { inPieces, type Pieces } from '../../shared/numbers/pieces.ts';
import { completeRangesOf } from '../coverage/complete-ranges.ts';
import { traceIndex } from '../index/trace-index.ts';
import { jobIndex } from '../jobs/job-index.ts';
import { outstandingWorkAhead } from '../outstanding/outstanding-work.ts';
import { bestRatesAhead } from '../threads/best-rate.ts';
import { explainCallInPieces } from './explain-call.ts';
import { slicesAhead } from './explanation-ahead.ts';

/**
 * Works out what the first explanation of a call would otherwise, piece by piece: some ten milliseconds of CPU time at
 * most for ten million events, so that whoever asks meanwhile waits for one of them at most.
 */
export function* prepareExplanations(trace: Trace): Pieces<void> {
  const index = traceIndex(trace);
  const jobs = jobIndex(trace);
  const ranks = jobs.jobs.flatMap((job) => job.ranks);
  const threads = ranks.flatMap(({ cudaThreads }) => cudaThreads);
  for (const table of tables) yield* index.rowsAhead(table);
  // Slices may be of CPUs that the trace does not list.
  yield* slicesAhead(trace);
  index.activity();
  yield;
  // Of the job alone: lists of all tables and threads of a machine would be many, and few of them are asked for.
  for (const thread of ranks.flatMap(({ processes }) =>
    processes.flatMap((process) => jobs.threadsOf(process)),
  ))
    for (const table of tablesOfWaits) yield* index.rowsAhead(table, thread);
  yield* bestRatesAhead(trace);
  for (const thread of threads) {
    yield* index.rowsAhead('cuda_call', thread);
    completeRangesOf(trace, thread);
    yield;
  }
  for (const { mainThread } of ranks) {
    const process = trace.threads[mainThread]?.process ?? -1;
    if (process >= 0) yield* outstandingWorkAhead(trace, process);
  }
  // What is left is worked out per thread and group of calls. Long calls come last: the engine has compiled by then
  // what explains them.
  for (const thread of threads)
    for (const call of yield* callsByLength(trace, thread)) yield* explainCallInPieces(trace, call);
}

const tables = ['cuda_call', 'page_fault', 'cpu_sample', 'block_io', 'page_alloc'] as const;
const tablesOfWaits = ['off_cpu', 'wakeup', 'cpu_sample', 'block_io', 'syscall'] as const;

/** Of the calls of a thread the slowest of each length, by powers of two; the shortest first. */
function* callsByLength(trace: Trace, thread: number): Pieces<readonly number[]> {
  const { durationNs } = trace.tables.cuda_call.columns;
  const slowest: number[] = [];
  const { rows } = traceIndex(trace).rowsOf('cuda_call', thread);
  yield* inPieces(rows.length, (from, to) => {
    for (let at = from; at < to; at++) {
      const ns = durationNs[rows[at]];
      const length = Math.floor(Math.log2(1 + ns));
      const known: number | undefined = slowest[length];
      if (known === undefined || ns > durationNs[known]) slowest[length] = rows[at];
    }
  });
  // Without the lengths that no call has.
  return slowest.filter(() => true);
}
