import type { NumberArray } from '../../shared/model/columns.ts';
import type { Table, Trace } from '../../shared/model/trace.ts';
import { lowerBound } from '../../shared/numbers/bisect.ts';

/** The recorder's sums of one operation, sorted by thread, then time: one entry per bucket. */
export interface CountedSums {
  readonly thread: Int32Array;
  readonly startNs: Float64Array;
  readonly endNs: Float64Array;
  readonly count: Float64Array;
  /** Of these, written to the file; -1 = the recorder does not say. */
  readonly stored: Float64Array;
  readonly totalNs: Float64Array;
  readonly maxNs: Float64Array;
  readonly bytes: Float64Array;
}

/**
 * What a sum of each table's events is kept by. Recorders look a page allocation up by its process
 * (Ingero does so with everything but sched_switch), so its sums stand at the main thread.
 */
export const sumKeys = { off_cpu: 'thread', page_alloc: 'process' } as const;
export type SummedTable = keyof typeof sumKeys;

/** Ingero (0.9.2 and later) adds this to an operation's name for events it summed in the kernel. */
const SUMMARY_SUFFIX = '_summary';

/** The recorder's sums of the events of `table`; those kept by process under `mainOf` each thread. */
export function countedSums(trace: Trace, table: SummedTable, mainOf: Int32Array): CountedSums {
  const { op, source } = trace.tables[table].recordedAs;
  const rows = rowsNamed(trace, source, op);
  const { columns } = trace.tables.aggregate;
  const ownerOf = (row: number) => {
    const thread = columns.thread[row];
    return sumKeys[table] === 'process' && thread >= 0 ? mainOf[thread] : thread;
  };
  rows.sort((a, b) => ownerOf(a) - ownerOf(b) || columns.startNs[a] - columns.startNs[b]);
  return addUp(columns, rows, ownerOf);
}

/** How many events the recorder summed in the kernel instead of writing them, by thread. */
export function summarisedEvents(trace: Trace, table: SummedTable): Float64Array {
  const { op, source } = trace.tables[table].recordedAs;
  const { thread, count } = trace.tables.aggregate.columns;
  const events = new Float64Array(trace.threads.length);
  for (const row of rowsNamed(trace, source, op + SUMMARY_SUFFIX))
    if (thread[row] >= 0) events[thread[row]] += Math.max(0, count[row]);
  return events;
}

/** For each thread the one that stands for its process: the main thread, else its first. */
export function mainThreads({ threads, processes }: Trace): Int32Array {
  const mains = new Map<number, number>();
  threads.forEach(({ tid, process }, index) => {
    if (!mains.has(process) || tid === processes[process]?.pid) mains.set(process, index);
  });
  return Int32Array.from(threads, ({ process }, index) => mains.get(process) ?? index);
}

function rowsNamed(trace: Trace, source: string, op: string): number[] {
  const { columns, rows } = trace.tables.aggregate;
  const wanted = trace.names.map((name, at) => name === op && trace.nameSources[at] === source);
  const found: number[] = [];
  for (let row = 0; row < rows; row++) if (wanted[columns.op[row]]) found.push(row);
  return found;
}

/** One entry per thread and bucket: what is left of a process's threads in one bucket is added up. */
function addUp(
  columns: Table<'aggregate'>['columns'],
  rows: readonly number[],
  ownerOf: (row: number) => number,
): CountedSums {
  const firsts: number[] = [];
  const slots = rows.map((row) => {
    const first = firsts.at(-1);
    const same =
      first !== undefined &&
      ownerOf(first) === ownerOf(row) &&
      columns.startNs[first] === columns.startNs[row] &&
      columns.durationNs[first] === columns.durationNs[row];
    return (same ? firsts.length : firsts.push(row)) - 1;
  });
  const combine = (values: NumberArray | undefined, join: (a: number, b: number) => number) => {
    const result = new Float64Array(firsts.length);
    rows.forEach((row, at) => {
      const slot = slots[at];
      result[slot] = join(result[slot], Math.max(0, values?.[row] ?? 0));
    });
    return result;
  };
  const add = (a: number, b: number) => a + b;
  return {
    thread: Int32Array.from(firsts, ownerOf),
    startNs: Float64Array.from(firsts, (row) => columns.startNs[row]),
    endNs: Float64Array.from(firsts, (row) => columns.startNs[row] + columns.durationNs[row]),
    count: combine(columns.count, add),
    stored: storedOf(columns.stored, rows, slots, firsts.length),
    totalNs: combine(columns.totalNs, add),
    maxNs: combine(columns.maxNs, Math.max),
    bytes: combine(columns.bytes, add),
  };
}

/** -1 where one of the rows of an entry does not say. */
function storedOf(
  values: NumberArray | undefined,
  rows: readonly number[],
  slots: readonly number[],
  length: number,
): Float64Array {
  const result = new Float64Array(length);
  rows.forEach((row, at) => {
    const own = values?.[row] ?? -1;
    const slot = slots[at];
    result[slot] = own < 0 || result[slot] < 0 ? -1 : result[slot] + own;
  });
  return result;
}

/** First entry of `thread`, or where it would stand. */
export function firstSumOf(sums: CountedSums, thread: number): number {
  return lowerBound(sums.thread, thread);
}

/** The different lengths of the buckets, shortest first: a recorder may keep older sums more coarsely. */
export function bucketLengthsNs({ startNs, endNs }: CountedSums): number[] {
  const lengths = new Set<number>();
  for (let at = 0; at < startNs.length; at++) lengths.add(endNs[at] - startNs[at]);
  return [...lengths].sort((a, b) => a - b);
}
