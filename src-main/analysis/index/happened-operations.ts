import type { IntegerArray, NumberArray } from '../../shared/model/columns.ts';
import { isLaunchOp } from '../../shared/model/cuda-ops.ts';
import { happened } from '../../shared/model/happened.ts';
import { missesLaunches } from '../../shared/model/missed-launches.ts';
import { NONE } from '../../shared/model/schema.ts';
import type { Trace } from '../../shared/model/trace.ts';
import { upperBoundBy } from '../../shared/numbers/bisect.ts';
import { perTrace } from './per-trace.ts';

/** What happened of one operation of one process, of which the recorder kept sums. */
export interface HappenedOperation {
  /** Index into names. */
  readonly op: number;
  /** Index into processes, -1 = not known. */
  readonly process: number;
  readonly count: number;
  /** Of these, single events in the file. */
  readonly rows: number;
  /** Time of the single events. */
  readonly rowsNs: number;
  /** -1 = there are sums, and they tell no time. */
  readonly totalNs: number;
  /** Whether it may have taken longer: it is not known which of the events the sums cover. */
  readonly isAtLeast: boolean;
  /** Whether there were more: launches that were seen in windows only. */
  readonly isSeenInWindows: boolean;
  /** -1 = the sums tell none. */
  readonly maxNs: number;
  /** The same. */
  readonly bytes: number;
}

/** The recorder's sums of one operation of one process, and the single events beside them. */
interface Tally {
  readonly op: number;
  readonly process: number;
  /** The time of its sums, what adjoins as one. */
  readonly buckets: { readonly startNs: number; endNs: number }[];
  count: number;
  /** -1 = some sum does not say. */
  stored: number;
  totalNs: number;
  maxNs: number;
  bytes: number;
  /** Single events. */
  readonly rows: Rows;
  /** Those outside the time of every sum; looked for only where some events are not in the sums. */
  readonly beside: Rows;
}

interface Rows {
  count: number;
  totalNs: number;
  maxNs: number;
  bytes: number;
}

const noRows = (): Rows => ({ count: 0, totalNs: 0, maxNs: 0, bytes: 0 });

/**
 * What happened of every operation with sums, process by process: recorders sum most operations so. To
 * the sums come the events that they do not cover: those outside of every bucket, and those that were
 * written without being counted (happened.ts). Where it is not known which those are, of both times and
 * sizes the higher stands, which is a lower bound.
 */
export const happenedOperations = perTrace((trace): readonly HappenedOperation[] => {
  const tallies = sumTallies(trace);
  if (tallies.all.length > 0) addRows(trace, tallies);
  return tallies.all.map((tally) => happenedOf(tally, isSeenInWindows(trace, tally)));
});

function isSeenInWindows(trace: Trace, { op, process }: Tally): boolean {
  if (!isLaunchOp(trace.names[op] ?? '')) return false;
  return missesLaunches(trace, trace.processes[process]?.host ?? 0);
}

function happenedOf(tally: Tally, inWindows: boolean): HappenedOperation {
  const { op, process, count, stored, rows: all, beside } = tally;
  const rows = all.count;
  const both = (summed: number, single: number) =>
    stored === 0 ? summed + single : Math.max(summed, single);
  const isTimed = tally.totalNs > 0 || count === 0;
  return {
    ...{ op, process, rows, rowsNs: all.totalNs },
    count: happened(count, stored, rows),
    totalNs: isTimed ? both(tally.totalNs, all.totalNs - beside.totalNs) + beside.totalNs : -1,
    isSeenInWindows: inWindows,
    isAtLeast: inWindows || (stored !== 0 && rows - beside.count > (stored < 0 ? count : stored)),
    maxNs: tally.maxNs > 0 ? Math.max(tally.maxNs, all.maxNs) : -1,
    bytes: tally.bytes > 0 ? both(tally.bytes, all.bytes - beside.bytes) + beside.bytes : -1,
  };
}

/** Looked up for every stored event: by operation, then process (-1 first). */
interface Tallies {
  readonly all: Tally[];
  readonly of: (Tally | undefined)[][];
}

function sumTallies(trace: Trace): Tallies {
  const { op, thread, startNs, durationNs, count, stored, totalNs, maxNs, bytes } =
    trace.tables.aggregate.columns;
  const tallies: Tallies = { all: [], of: [] };
  for (let row = 0; row < op.length; row++) {
    if (!(count[row] > 0)) continue;
    const tally = tallyOf(trace, tallies, op[row], thread[row]);
    const own = stored?.[row] ?? -1;
    tally.count += count[row];
    tally.stored = own < 0 || tally.stored < 0 ? -1 : tally.stored + own;
    tally.totalNs += Math.max(0, totalNs?.[row] ?? 0);
    tally.maxNs = Math.max(tally.maxNs, maxNs?.[row] ?? -1);
    tally.bytes += Math.max(0, bytes?.[row] ?? 0);
    addBucket(tally, startNs[row], startNs[row] + durationNs[row]);
  }
  return tallies;
}

/** Rows of `aggregate` come in order of start. */
function addBucket({ buckets }: Tally, startNs: number, endNs: number): void {
  const last = buckets.at(-1);
  if (last !== undefined && startNs <= last.endNs) last.endNs = Math.max(last.endNs, endNs);
  else buckets.push({ startNs, endNs });
}

function tallyOf(trace: Trace, tallies: Tallies, op: number, thread: number): Tally {
  const process = trace.threads[thread]?.process ?? NONE;
  tallies.of[op] ??= [];
  const known = tallies.of[op][process + 1];
  if (known !== undefined) return known;
  const tally: Tally = {
    ...{ op, process, buckets: [], count: 0, stored: 0, totalNs: 0, maxNs: -1 },
    ...{ bytes: 0, rows: noRows(), beside: noRows() },
  };
  tallies.all.push(tally);
  tallies.of[op][process + 1] = tally;
  return tally;
}

const storedTables = [
  'cuda_call',
  'off_cpu',
  'wakeup',
  'page_alloc',
  'block_io',
  'syscall',
  'process_event',
  'range',
] as const;

/** The columns of any of these tables that are looked at. */
interface EventColumns {
  readonly startNs: Float64Array;
  readonly thread: IntegerArray;
  readonly durationNs?: NumberArray;
  readonly bytes?: NumberArray;
  readonly op?: ArrayLike<number>;
}

/**
 * Adds the stored events of operations that have sums; those of a process without count for themselves.
 * Where no more are stored than were written, all of them are in the sums.
 */
function addRows(trace: Trace, tallies: Tallies): void {
  visitRows(trace, tallies, (tally, columns, row) => addRow(tally.rows, columns, row));
  const isDoubted = (tally: Tally) =>
    tally.count > 0 && (tally.stored < 0 || tally.rows.count > tally.stored);
  if (!tallies.all.some(isDoubted)) return;
  visitRows(trace, tallies, (tally, columns, row) => {
    if (isDoubted(tally) && !isCovered(tally, columns, row)) addRow(tally.beside, columns, row);
  });
}

function visitRows(
  trace: Trace,
  tallies: Tallies,
  visit: (tally: Tally, columns: EventColumns, row: number) => void,
): void {
  const processOf = Int32Array.from(trace.threads, ({ process }) => process);
  for (const name of storedTables) {
    const { recordedAs } = trace.tables[name];
    const columns: EventColumns = trace.tables[name].columns;
    const by =
      name === 'wakeup' ? (trace.tables.wakeup.columns.waker ?? NO_THREADS) : columns.thread;
    const { op: ops } = columns;
    const common = ops === undefined ? nameIndex(trace, recordedAs) : NONE;
    if (ops === undefined && tallies.of[common] === undefined) continue;
    for (let row = 0; row < columns.thread.length; row++) {
      const ofOp = tallies.of[ops === undefined ? common : ops[row]];
      if (ofOp === undefined) continue;
      const thread = by[row] ?? NONE;
      const process = thread < 0 ? NONE : (processOf[thread] ?? NONE);
      const tally = ofOp[process + 1] ?? tallyOf(trace, tallies, ops?.[row] ?? common, thread);
      visit(tally, columns, row);
    }
  }
}

const NO_THREADS = new Int32Array(0);

function addRow(rows: Rows, { durationNs, bytes }: EventColumns, row: number): void {
  const ownNs = durationNs?.[row] ?? 0;
  rows.count++;
  rows.totalNs += ownNs;
  rows.maxNs = Math.max(rows.maxNs, ownNs);
  rows.bytes += Math.max(0, bytes?.[row] ?? 0);
}

/** By its begin or by its end: recorders differ in which of the two they count an event at. */
function isCovered(tally: Tally, { startNs, durationNs }: EventColumns, row: number): boolean {
  const endNs = startNs[row] + (durationNs?.[row] ?? 0);
  return isInBucket(tally, startNs[row]) || isInBucket(tally, endNs);
}

function isInBucket({ buckets }: Tally, at: number): boolean {
  const bucket = buckets[upperBoundBy(buckets, at, ({ startNs }) => startNs) - 1];
  return bucket !== undefined && at < bucket.endNs;
}

function nameIndex(trace: Trace, { source, op }: { source: string; op: string }): number {
  return trace.names.findIndex((name, at) => name === op && trace.nameSources[at] === source);
}
