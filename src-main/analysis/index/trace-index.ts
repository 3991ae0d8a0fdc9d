import type { Trace } from '../../shared/model/trace.ts';
import { type ThreadActivity, threadActivity } from './activity.ts';
import { type ComparableCalls, comparableCalls, comparableKey } from './comparable-calls.ts';
import { perTrace } from './per-trace.ts';
import {
  type RowsByIndex,
  rowsByIndex,
  rowsOfIndex,
  type SortedRows,
  sortedRows,
} from './sorted-rows.ts';

/** What analyses look up again and again, each part built when first asked for and kept with the trace. */
export interface TraceIndex {
  /** Builds what every explanation needs, so that the first does not wait for it. */
  prepare(): void;
  activity(): ThreadActivity;
  /** The off-CPU rows of one thread. */
  switchesOf(thread: number): SortedRows;
  /** The rows of another table that belong to one thread. */
  rowsOf(table: TableOfThreads, thread: number): SortedRows;
  /** The rows of on_cpu on one CPU. */
  slicesOn(cpu: number): SortedRows;
  /** The durations a call is compared with. */
  comparableTo(call: number): ComparableCalls;
  /** What of it takes memory, as far as it is built: another thread can have it without a copy where the columns are shared. */
  built(): BuiltIndex;
  /** Takes over what another thread has built of the same trace, so that it is there once. */
  adopt(built: BuiltIndex): void;
}

/** Rows by a column, and the times of those that were asked for. */
interface Lookup {
  readonly sorted: RowsByIndex;
  readonly known: Map<number, SortedRows>;
}

/** By table where rows are looked up by thread, and slices by CPU. */
export type BuiltIndex = Map<string, Lookup>;

const BY_CPU = 'on_cpu by cpu';

/** Tables whose rows are looked up by thread. */
type TableOfThreads =
  | 'cuda_call'
  | 'on_cpu'
  | 'wakeup'
  | 'page_fault'
  | 'page_alloc'
  | 'block_io'
  | 'syscall'
  | 'cpu_sample'
  | 'range'
  | 'process_event'
  | 'aggregate';

/** The index of `trace`; traces that share their tables share it. */
export const traceIndex = perTrace(createIndex);

function createIndex(trace: Trace): TraceIndex {
  let activity: ThreadActivity | undefined;
  const comparable = new Map<string, ComparableCalls>();
  const lookups: BuiltIndex = new Map();
  const byThread = (table: TableOfThreads | 'off_cpu') =>
    remembered(lookups, table, () =>
      newLookup(trace.tables[table].columns.thread, trace.threads.length),
    );
  const byCpu = () =>
    remembered(lookups, BY_CPU, () => newLookup(trace.tables.on_cpu.columns.cpu, cpuCount(trace)));
  function activityOf(): ThreadActivity {
    activity ??= threadActivity(trace);
    return activity;
  }
  return {
    prepare() {
      byThread('off_cpu');
      activityOf();
    },
    activity: activityOf,
    switchesOf: (thread) => rowsIn(byThread('off_cpu'), trace.tables.off_cpu.columns, thread),
    rowsOf: (table, thread) => rowsIn(byThread(table), trace.tables[table].columns, thread),
    slicesOn: (cpu) => rowsIn(byCpu(), trace.tables.on_cpu.columns, cpu),
    comparableTo: (call) =>
      remembered(comparable, comparableKey(trace, call), () => comparableCalls(trace, call)),
    built: () => lookups,
    adopt(built) {
      for (const [key, theirs] of built) lookups.set(key, joined(theirs, lookups.get(key)));
    },
  };
}

function newLookup(keys: Int32Array, count: number): Lookup {
  return { sorted: rowsByIndex(keys, count), known: new Map() };
}

/** The rows of `value`, with their times from when they are first asked for. */
function rowsIn(
  { sorted, known }: Lookup,
  columns: { readonly startNs: Float64Array; readonly durationNs?: Float64Array },
  value: number,
): SortedRows {
  return remembered(known, value, () => sortedRows(columns, sorted, value));
}

/** What another thread has built, with what of `ours` it lacks; nothing else holds our memory any more. */
function joined(theirs: Lookup, ours: Lookup | undefined): Lookup {
  const known = new Map(theirs.known);
  for (const [value, rows] of ours?.known ?? [])
    if (!known.has(value)) known.set(value, { ...rows, rows: rowsOfIndex(theirs.sorted, value) });
  return { sorted: theirs.sorted, known };
}

/** One more than the highest CPU number that stands in a slice. */
function cpuCount({ tables }: Trace): number {
  let highest = -1;
  for (const cpu of tables.on_cpu.columns.cpu) if (cpu > highest) highest = cpu;
  return highest + 1;
}

function remembered<Key, Value>(known: Map<Key, Value>, key: Key, make: () => Value): Value {
  const value = known.get(key) ?? make();
  known.set(key, value);
  return value;
}
