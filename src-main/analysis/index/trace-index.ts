import type { IntegerArray } from '../../shared/model/columns.ts';
import type { Trace } from '../../shared/model/trace.ts';
import { atOnce, inPieces, type Pieces } from '../../shared/numbers/pieces.ts';
import { type ThreadActivity, threadActivity } from './activity.ts';
import { type ComparableCalls, comparableCalls, comparableKey } from './comparable-calls.ts';
import { perTrace } from './per-trace.ts';
import {
  latestEndsByBlock,
  latestEndsInPieces,
  type RowsByIndex,
  rowsByIndexInPieces,
  rowsOfIndex,
  type SortedRows,
  sortedRows,
  type TimeColumns,
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
  /** The rows of a table by thread, or slices by CPU. */
  rowsBy(key: IndexKey): RowsByIndex;
  /** Sorts them ahead, piece by piece: those of a thread or CPU with their times. */
  rowsAhead(key: IndexKey, value?: number): Pieces<void>;
  /** The durations a call is compared with. */
  comparableTo(call: number): ComparableCalls;
  /** Works that out ahead, piece by piece. */
  comparableAhead(call: number): Pieces<void>;
  /**
   * What of it takes memory, as far as it is built: another thread can have it without a copy where the columns are shared.
   * Empty where it is of very many threads.
   */
  built(): BuiltIndex;
  /**
   * Takes over what another thread has built of the same trace, so that it is there once. Of what both have, its own stays
   * where it is `preferred`: others may hold it.
   */
  adopt(built: BuiltIndex, preferred?: 'own' | 'theirs'): void;
}

/** Rows by a column, and when those that were asked for have ended. */
interface Lookup {
  readonly sorted: RowsByIndex;
  /** By the column's value: see `latestEndsByBlock`. */
  readonly blockEndsNs: Map<number, Float64Array>;
}

/** A table whose rows are looked up by thread, or the slices by CPU. */
export type IndexKey = TableOfThreads | 'off_cpu' | 'slices';
export type BuiltIndex = Map<IndexKey, Lookup>;

/** Tables whose rows are looked up by thread, beside switches. */
export const tablesOfThreads = [
  ...(['cuda_call', 'on_cpu', 'wakeup', 'page_fault', 'page_alloc', 'block_io'] as const),
  ...(['syscall', 'cpu_sample', 'range', 'process_event', 'aggregate'] as const),
] as const;
type TableOfThreads = (typeof tablesOfThreads)[number];

/** The index of `trace`; traces that share their tables share it. */
export const traceIndex = perTrace(createIndex);

function createIndex(trace: Trace): TraceIndex {
  let activity: ThreadActivity | undefined;
  const comparable = new Map<string, ComparableCalls>();
  const lookups: BuiltIndex = new Map();
  /** What is handed out of a lookup, so that it is the same the next time. */
  const handedOut = new WeakMap<Lookup, Map<number, SortedRows>>();
  const lookup = (key: IndexKey) => remembered(lookups, key, () => atOnce(newLookup(trace, key)));
  function rowsIn(key: IndexKey, value: number): SortedRows {
    const from = lookup(key);
    const known = handedOut.get(from) ?? new Map<number, SortedRows>();
    handedOut.set(from, known);
    const { columns } = tableOf(trace, key);
    return remembered(known, value, () => rowsWithTimes(from, columns, value));
  }
  function activityOf(): ThreadActivity {
    activity ??= threadActivity(trace);
    return activity;
  }
  return {
    prepare() {
      lookup('off_cpu');
      activityOf();
    },
    activity: activityOf,
    switchesOf: (thread) => rowsIn('off_cpu', thread),
    rowsOf: rowsIn,
    slicesOn: (cpu) => rowsIn('slices', cpu),
    rowsBy: (key) => lookup(key).sorted,
    *rowsAhead(key, value) {
      if (!lookups.has(key)) {
        const made = yield* newLookup(trace, key);
        remembered(lookups, key, () => made);
      }
      const { sorted, blockEndsNs } = lookup(key);
      if (value === undefined || blockEndsNs.has(value)) return;
      const rows = rowsOfIndex(sorted, value);
      const endsNs = yield* latestEndsInPieces(tableOf(trace, key).columns, rows);
      // What others were told meanwhile stays, and the table may have been sorted by another thread.
      remembered(lookup(key).blockEndsNs, value, () => endsNs);
    },
    comparableTo: (call) =>
      remembered(comparable, comparableKey(trace, call), () =>
        atOnce(comparableCalls(trace, call)),
      ),
    *comparableAhead(call) {
      const key = comparableKey(trace, call);
      if (comparable.has(key)) return;
      const calls = yield* comparableCalls(trace, call);
      remembered(comparable, key, () => calls);
    },
    built: () => (isMuch(lookups) ? new Map() : lookups),
    adopt(built, preferred = 'theirs') {
      for (const [key, theirs] of built) {
        const own = lookups.get(key) ?? theirs;
        lookups.set(key, preferred === 'own' ? joined(own, theirs) : joined(theirs, own));
      }
    },
  };
}

/** So many lists of rows take longer to hand over than to sort. */
const MOST_HANDED_OVER = 20_000;

function isMuch(built: BuiltIndex): boolean {
  let lists = 0;
  for (const { blockEndsNs } of built.values()) lists += blockEndsNs.size;
  return lists > MOST_HANDED_OVER;
}

/** The rows of `value`; when they have ended is worked out when they are first asked for. */
function rowsWithTimes(
  { sorted, blockEndsNs }: Lookup,
  columns: TimeColumns,
  value: number,
): SortedRows {
  const endsNs = remembered(blockEndsNs, value, () =>
    latestEndsByBlock(columns, rowsOfIndex(sorted, value)),
  );
  return sortedRows(columns, sorted, value, endsNs);
}

function tableOf({ tables }: Trace, key: IndexKey) {
  return tables[key === 'slices' ? 'on_cpu' : key];
}

function* newLookup(trace: Trace, key: IndexKey): Pieces<Lookup> {
  const isByCpu = key === 'slices';
  const keys = isByCpu ? trace.tables.on_cpu.columns.cpu : trace.tables[key].columns.thread;
  const count = isByCpu ? yield* cpuCount(keys) : trace.threads.length;
  return { sorted: yield* rowsByIndexInPieces(keys, count), blockEndsNs: new Map() };
}

/** `first`, with what of `second` it lacks, so that nothing of what both have is held twice. */
function joined(first: Lookup, { blockEndsNs }: Lookup): Lookup {
  for (const [value, endsNs] of blockEndsNs)
    if (!first.blockEndsNs.has(value)) first.blockEndsNs.set(value, endsNs);
  return first;
}

/** No machine has more: a damaged file may name any. */
const MOST_CPUS = 2 ** 20;

/** One more than the highest of `cpus`, those of slices. */
function* cpuCount(cpus: IntegerArray): Pieces<number> {
  let highest = -1;
  yield* inPieces(cpus.length, (from, to) => {
    for (let row = from; row < to; row++) if (cpus[row] > highest) highest = cpus[row];
  });
  return Math.min(MOST_CPUS, highest + 1);
}

function remembered<Key, Value>(known: Map<Key, Value>, key: Key, make: () => Value): Value {
  const value = known.get(key) ?? make();
  known.set(key, value);
  return value;
}
