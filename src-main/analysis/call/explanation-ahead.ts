import type { Trace } from '../../shared/model/trace.ts';
import type { Pieces } from '../../shared/numbers/pieces.ts';
import { traceIndex } from '../index/trace-index.ts';
import { outstandingWorkAhead } from '../outstanding/outstanding-work.ts';
import { bestRatesAhead } from '../threads/best-rate.ts';

/** Rows of these are looked up by the thread of any call that is explained. */
const tables = [
  ...(['off_cpu', 'cuda_call', 'cpu_sample', 'page_fault'] as const),
  ...(['wakeup', 'block_io', 'syscall', 'page_alloc'] as const),
];

/**
 * Works out what row `call` of cuda_call is explained by and what takes long in a large trace, as far as it is not there
 * yet: in pieces, each of a few milliseconds.
 */
export function* explanationAhead(trace: Trace, call: number): Pieces<void> {
  const { thread, startNs, durationNs } = trace.tables.cuda_call.columns;
  const index = traceIndex(trace);
  for (const table of tables) yield* index.rowsAhead(table, thread[call]);
  if (isSwitched(trace, thread[call], startNs[call], startNs[call] + durationNs[call]))
    yield* slicesAhead(trace);
  const process = trace.threads[thread[call]]?.process ?? -1;
  if (process >= 0) yield* outstandingWorkAhead(trace, process, startNs[call]);
  yield* bestRatesAhead(trace);
  yield* index.comparableAhead(call);
}

/** Sorts the slices of every CPU. */
export function* slicesAhead(trace: Trace): Pieces<void> {
  const index = traceIndex(trace);
  yield* index.rowsAhead('slices');
  const cpus = index.rowsBy('slices').offsets.length - 1;
  for (let cpu = 0; cpu < cpus; cpu++) yield* index.rowsAhead('slices', cpu);
}

/** Whether `thread` left its CPU in [startNs, endNs): then it is looked who ran there. */
function isSwitched(trace: Trace, thread: number, startNs: number, endNs: number): boolean {
  const { startsNs, latestEndsNs } = traceIndex(trace).switchesOf(thread);
  return latestEndsNs.upperBound(startNs) < startsNs.lowerBound(endNs);
}
