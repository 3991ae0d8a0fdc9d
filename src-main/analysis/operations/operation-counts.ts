import type { OperationStats } from '../../shared/answers/operations.ts';
import { happened } from '../../shared/model/happened.ts';
import { NONE } from '../../shared/model/schema.ts';
import type { Trace } from '../../shared/model/trace.ts';
import { perTrace } from '../index/per-trace.ts';
import { hostField, hostReader } from './hosts-of-rows.ts';

/** Names an operation of a host: each is counted for itself. */
type Counted = Pick<OperationStats, 'source' | 'name' | 'host'>;

const keyOf = ({ source, name, host = '' }: Counted) => `${source}\n${name}\n${host}`;

/**
 * `stats` with, where more events of an operation happened than are stored, both numbers on every row
 * of it. The recorder's sums know no direction and no size.
 */
export function withCounted(trace: Trace, stats: readonly OperationStats[]): OperationStats[] {
  const happenedByKey = happenedEvents(trace);
  const storedByKey = new Map<string, number>();
  for (const entry of stats) {
    const key = keyOf(entry);
    storedByKey.set(key, (storedByKey.get(key) ?? 0) + entry.count);
  }
  return stats.map((entry) => {
    const key = keyOf(entry);
    const counted = happenedByKey.get(key) ?? 0;
    const stored = storedByKey.get(key) ?? 0;
    return counted > stored ? { ...entry, counted: { stored, counted } } : entry;
  });
}

/** Operations of which the file holds sums and not a single event, those that took longest first. */
export function summedOperations(trace: Trace, stats: readonly OperationStats[]): OperationStats[] {
  const stored = new Set(stats.map(keyOf));
  const hostOf = hostReader(trace, trace.tables.aggregate.columns);
  const { op, count, totalNs, maxNs, bytes } = trace.tables.aggregate.columns;
  const found = new Map<string, Growing>();
  for (let row = 0; row < op.length; row++) {
    const operation = operationOf(trace, op[row], hostOf?.(row));
    const key = keyOf(operation);
    if (stored.has(key) || !(count[row] > 0)) continue;
    const sum = found.get(key) ?? { ...operation, counted: 0, bytes: 0, totalNs: -1, maxNs: -1 };
    found.set(key, sum);
    sum.counted += count[row];
    sum.bytes += Math.max(0, bytes?.[row] ?? 0);
    if ((totalNs?.[row] ?? 0) > 0) sum.totalNs = Math.max(0, sum.totalNs) + (totalNs?.[row] ?? 0);
    sum.maxNs = Math.max(sum.maxNs, maxNs?.[row] ?? -1);
  }
  return [...found.values()]
    .map(({ counted, ...sum }) => ({
      ...sum,
      ...{ direction: null, count: 0, counted: { stored: 0, counted }, onlySums: true as const },
      ...{ p50Ns: -1, p95Ns: -1, p99Ns: -1 },
    }))
    .sort((a, b) => b.totalNs - a.totalNs || b.counted.counted - a.counted.counted);
}

function operationOf(trace: Trace, op: number, host: number | undefined): Counted {
  const [source, name] = [trace.nameSources[op] ?? '', trace.names[op] ?? ''];
  return { source, name, ...hostField(trace, host) };
}

interface Growing extends Counted {
  counted: number;
  bytes: number;
  totalNs: number;
  maxNs: number;
}

/** Events of one operation of one process. */
interface Tally {
  readonly op: number;
  /** Index into hosts, -1 = not known. */
  readonly host: number;
  count: number;
  /** -1 = some sum does not say. */
  stored: number;
  rows: number;
}

/** How many events of each operation happened, by source, name and host; only of those with sums. */
const happenedEvents = perTrace((trace): ReadonlyMap<string, number> => {
  const tallies = sumTallies(trace);
  if (tallies.size > 0) addRows(trace, tallies);
  const byKey = new Map<string, number>();
  for (const { op, host, count, stored, rows } of tallies.values()) {
    const key = keyOf(operationOf(trace, op, host));
    byKey.set(key, (byKey.get(key) ?? 0) + happened(count, stored, rows));
  }
  return byKey;
});

type Tallies = Map<number, Tally>;

function sumTallies(trace: Trace): Tallies {
  const { op, thread, count, stored } = trace.tables.aggregate.columns;
  const tallies: Tallies = new Map();
  for (let row = 0; row < op.length; row++) {
    const tally = tallyOf(trace, tallies, op[row], thread[row]);
    tally.count += Math.max(0, count[row]);
    const own = stored?.[row] ?? -1;
    tally.stored = own < 0 || tally.stored < 0 ? -1 : tally.stored + own;
  }
  return tallies;
}

/** Kept by process: recorders sum most operations so. */
function tallyOf(trace: Trace, tallies: Tallies, op: number, thread: number): Tally {
  const key = tallyKey(trace, op, thread);
  const known = tallies.get(key);
  if (known !== undefined) return known;
  const process = trace.processes[trace.threads[thread]?.process ?? NONE];
  const host = process === undefined ? NONE : (process.host ?? 0);
  const tally = { op, host, count: 0, stored: 0, rows: 0 };
  tallies.set(key, tally);
  return tally;
}

function tallyKey(trace: Trace, op: number, thread: number): number {
  const process = trace.threads[thread]?.process ?? NONE;
  return op * (trace.processes.length + 1) + process + 1;
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

/** Adds the stored events of operations that have sums; those of a process without count for themselves. */
function addRows(trace: Trace, tallies: Tallies): void {
  const isSummed = new Uint8Array(trace.names.length);
  for (const { op } of tallies.values()) isSummed[op] = 1;
  for (const name of storedTables) {
    const { columns, recordedAs } = trace.tables[name];
    const { thread } = columns;
    const ops = 'op' in columns ? columns.op : undefined;
    const common = ops === undefined ? nameIndex(trace, recordedAs) : NONE;
    for (let row = 0; row < thread.length; row++) {
      const op = ops?.[row] ?? common;
      if (isSummed[op] !== 1) continue;
      tallyOf(trace, tallies, op, name === 'wakeup' ? wakerOf(trace, row) : thread[row]).rows++;
    }
  }
}

/** A wake-up is summed by who woke. */
function wakerOf({ tables }: Trace, row: number): number {
  return tables.wakeup.columns.waker?.[row] ?? NONE;
}

function nameIndex(trace: Trace, { source, op }: { source: string; op: string }): number {
  return trace.names.findIndex((name, at) => name === op && trace.nameSources[at] === source);
}
