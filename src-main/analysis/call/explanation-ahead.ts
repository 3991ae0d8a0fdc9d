import type { Trace } from '../../shared/model/trace.ts';
import type { Pieces } from '../../shared/numbers/pieces.ts';
import { traceIndex } from '../index/trace-index.ts';
import { isCopyCall } from '../operations/copy-facts.ts';
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
  const { thread } = trace.tables.cuda_call.columns;
  const index = traceIndex(trace);
  for (const table of tables) yield* index.rowsAhead(table, thread[call]);
  for (const cpu of cpusOf(trace, call)) yield* index.rowsAhead('slices', cpu);
  if (isCopyCall(trace, call)) yield* bestRatesAhead(trace);
  yield* index.comparableAhead(call);
}

/** Sorts the slices of every CPU. */
export function* slicesAhead(trace: Trace): Pieces<void> {
  const index = traceIndex(trace);
  yield* index.rowsAhead('slices');
  const cpus = index.rowsBy('slices').offsets.length - 1;
  for (let cpu = 0; cpu < cpus; cpu++) yield* index.rowsAhead('slices', cpu);
}

/** The CPUs that the thread of `call` left and came back on while it lasted: it is looked who ran there. */
function cpusOf(trace: Trace, call: number): ReadonlySet<number> {
  const { thread, startNs, durationNs } = trace.tables.cuda_call.columns;
  const { cpuOut, cpuIn } = trace.tables.off_cpu.columns;
  const { rows, startsNs, latestEndsNs } = traceIndex(trace).switchesOf(thread[call]);
  const first = latestEndsNs.upperBound(startNs[call]);
  const end = startsNs.lowerBound(startNs[call] + durationNs[call]);
  const cpus = new Set<number>();
  for (let at = first; at < end; at++)
    for (const cpu of [cpuOut?.[rows[at]] ?? -1, cpuIn?.[rows[at]] ?? -1])
      if (cpu >= 0) cpus.add(cpu);
  return cpus;
}
