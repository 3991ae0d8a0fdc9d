import type { Trace } from '../../shared/model/trace.ts';
import { type ThreadActivity, threadActivity } from './activity.ts';
import { type ComparableCalls, comparableCalls, comparableKey } from './comparable-calls.ts';
import { perTrace } from './per-trace.ts';
import { type RowsByIndex, rowsByIndex, type SortedRows, sortedRows } from './sorted-rows.ts';

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
}

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
  let byThread: RowsByIndex | undefined;
  const switches = new Map<number, SortedRows>();
  const comparable = new Map<string, ComparableCalls>();
  const byTable = new Map<TableOfThreads, (thread: number) => SortedRows>();
  let slices: ((cpu: number) => SortedRows) | undefined;
  const { columns } = trace.tables.off_cpu;
  function sortedByThread(): RowsByIndex {
    byThread ??= rowsByIndex(columns.thread, trace.threads.length);
    return byThread;
  }
  function activityOf(): ThreadActivity {
    activity ??= threadActivity(trace);
    return activity;
  }
  return {
    prepare() {
      sortedByThread();
      activityOf();
    },
    activity: activityOf,
    switchesOf: (thread) =>
      remembered(switches, thread, () => sortedRows(columns, sortedByThread(), thread)),
    rowsOf: (table, thread) =>
      remembered(byTable, table, () =>
        rowsLookup(trace.tables[table].columns, 'thread', trace.threads.length),
      )(thread),
    slicesOn: (cpu) => {
      slices ??= rowsLookup(trace.tables.on_cpu.columns, 'cpu', cpuCount(trace));
      return slices(cpu);
    },
    comparableTo: (call) =>
      remembered(comparable, comparableKey(trace, call), () => comparableCalls(trace, call)),
  };
}

/** The rows by what stands in `key`, of which there are `count`; each part sorted when first asked for. */
function rowsLookup<Key extends 'thread' | 'cpu'>(
  columns: { readonly startNs: Float64Array; readonly durationNs?: Float64Array } & {
    readonly [K in Key]: Int32Array;
  },
  key: Key,
  count: number,
): (value: number) => SortedRows {
  const sorted = rowsByIndex(columns[key], count);
  const known = new Map<number, SortedRows>();
  return (value) => remembered(known, value, () => sortedRows(columns, sorted, value));
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
