import type { OperationStats } from '../../shared/answers/operations.ts';
import { NONE } from '../../shared/model/schema.ts';
import type { Trace } from '../../shared/model/trace.ts';
import { type HappenedOperation, happenedOperations } from '../index/happened-operations.ts';
import { perTrace } from '../index/per-trace.ts';
import { hostField } from './hosts-of-rows.ts';

/** Names an operation of a host: each is counted for itself. */
type Counted = Pick<OperationStats, 'source' | 'name' | 'recordedName' | 'host'>;

const keyOf = ({ source, name, recordedName = name, host = '' }: Counted) =>
  `${source}\n${recordedName}\n${host}`;

/** What is stored of an operation of a host: the sum of all its rows of statistics. */
interface Stored {
  count: number;
  totalNs: number;
  bytes: number;
}

/**
 * `stats` with, where more events of an operation happened than are stored, both figures on every row
 * of it. The recorder's sums know no direction and no size.
 */
export function withCounted(trace: Trace, stats: readonly OperationStats[]): OperationStats[] {
  const happenedByKey = happenedByOperation(trace);
  const storedByKey = new Map<string, Stored>();
  for (const entry of stats) {
    const key = keyOf(entry);
    const stored = storedByKey.get(key) ?? { count: 0, totalNs: 0, bytes: 0 };
    storedByKey.set(key, stored);
    stored.count += entry.count;
    stored.totalNs += entry.totalNs;
    stored.bytes += entry.bytes;
  }
  return stats.map((entry) => {
    const key = keyOf(entry);
    const sums = happenedByKey.get(key);
    const stored = storedByKey.get(key);
    if (sums === undefined || stored === undefined || sums.counted <= stored.count) return entry;
    return { ...entry, counted: countedOf(sums, stored) };
  });
}

function countedOf(sums: Sums, stored: Stored): NonNullable<OperationStats['counted']> {
  const { counted, totalNs, isAtLeast, isSeenInWindows, maxNs, bytes } = sums;
  return {
    ...{ stored: stored.count, counted, ...(isSeenInWindows && { isSeenInWindows }) },
    ...(totalNs > 0 && { storedNs: stored.totalNs, totalNs, ...(isAtLeast && { isAtLeast }) }),
    ...(maxNs >= 0 && { maxNs }),
    ...(bytes > 0 && { storedBytes: stored.bytes, bytes }),
  };
}

/** Operations of which the file holds sums and not a single event, those that took longest first. */
export function summedOperations(trace: Trace, stats: readonly OperationStats[]): OperationStats[] {
  const stored = new Set(stats.map(keyOf));
  return [...happenedByOperation(trace)]
    .filter(([key]) => !stored.has(key))
    .map(([, sums]) => {
      const { operation, totalNs, maxNs, bytes } = sums;
      return {
        ...{ ...operation, direction: null, count: 0, onlySums: true as const },
        counted: countedOf(sums, { count: 0, totalNs: 0, bytes: 0 }),
        ...{ bytes: Math.max(0, bytes), totalNs, maxNs, p50Ns: -1, p95Ns: -1, p99Ns: -1 },
      };
    })
    .sort((a, b) => b.totalNs - a.totalNs || b.counted.counted - a.counted.counted);
}

/** What happened of an operation of a host. */
interface Sums {
  readonly operation: Counted;
  counted: number;
  totalNs: number;
  isAtLeast: boolean;
  isSeenInWindows: boolean;
  maxNs: number;
  bytes: number;
}

/** By source, name and host; only of operations with sums. */
const happenedByOperation = perTrace((trace): ReadonlyMap<string, Sums> => {
  const byKey = new Map<string, Sums>();
  for (const each of happenedOperations(trace)) {
    const operation = operationOf(trace, each);
    const key = keyOf(operation);
    const flags = { isAtLeast: false, isSeenInWindows: false };
    const none = { operation, counted: 0, totalNs: -1, ...flags, maxNs: -1, bytes: -1 };
    const sums: Sums = byKey.get(key) ?? none;
    byKey.set(key, sums);
    sums.counted += each.count;
    if (each.totalNs >= 0) sums.totalNs = Math.max(0, sums.totalNs) + each.totalNs;
    sums.isAtLeast ||= each.isAtLeast || each.totalNs < 0;
    sums.isSeenInWindows ||= each.isSeenInWindows;
    sums.maxNs = Math.max(sums.maxNs, each.maxNs);
    if (each.bytes > 0) sums.bytes = Math.max(0, sums.bytes) + each.bytes;
  }
  return byKey;
});

function operationOf(trace: Trace, { op, process }: HappenedOperation): Counted {
  const of = trace.processes[process];
  const host = of === undefined ? NONE : (of.host ?? 0);
  const [source, name] = [trace.nameSources[op] ?? '', trace.names[op] ?? ''];
  return { source, name, ...hostField(trace, host) };
}
