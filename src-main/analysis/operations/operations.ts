import type { OperationStats } from '../../shared/answers/operations.ts';
import { type Direction, directions } from '../../shared/model/codes.ts';
import type { NameArray, NumberArray } from '../../shared/model/columns.ts';
import { cudaOpKind } from '../../shared/model/cuda-ops.ts';
import { MAX_NAMES } from '../../shared/model/schema.ts';
import { sizeBucket } from '../../shared/model/size-bucket.ts';
import type { Table, Trace } from '../../shared/model/trace.ts';
import { percentiles } from '../../shared/numbers/percentile.ts';
import { nsInRange } from '../../shared/numbers/range-part.ts';
import { kernelBaseName } from '../../shared/text/kernel-name.ts';
import { gatherGroups, groupRows, type RowGroups } from '../index/row-groups.ts';
import { readableName } from '../stacks/frame-names.ts';
import { type HostOfRow, hostField, hostReader, type PlacedColumns } from './hosts-of-rows.ts';
import { summedOperations, withCounted } from './operation-counts.ts';
import { recordedCopies } from './recorded-copies.ts';

const countedTables = [
  'cuda_call',
  'gpu_work',
  'off_cpu',
  'wakeup',
  'page_alloc',
  'page_fault',
  'block_io',
  'syscall',
  'process_event',
  'range',
] as const;
type CountedTable = (typeof countedTables)[number];

/** The columns of any counted table that statistics look at. */
interface OperationColumns extends PlacedColumns {
  readonly startNs?: Float64Array;
  readonly durationNs?: NumberArray;
  readonly op?: NameArray;
  readonly category?: NameArray;
  readonly direction?: Uint8Array;
  readonly bytes?: NumberArray;
}

/** A stretch of time, ns from the trace's begin; its end is not in it. */
export interface TimeRange {
  readonly startNs: number;
  readonly endNs: number;
}

export interface OperationOptions {
  /** Whether each operation is split by size bucket. */
  readonly bySize: boolean;
  /** Where set, sums are of the events' parts in it. */
  readonly range?: TimeRange;
}

/**
 * Statistics per source, operation, direction, host and, where asked, size bucket, over the raw rows:
 * a driver call made by a runtime call counts for itself. CUDA first, then by total time; last what is
 * known by the recorder's sums only.
 */
export function operationStats(trace: Trace, options: OperationOptions): OperationStats[] {
  const stored = storedOperations(trace, options);
  return [...withCounted(trace, stored), ...summedOperations(trace, stored)];
}

/** The same of the rows of `tables` alone, whatever the recorder's sums say of others. */
export function storedOperations(
  trace: Trace,
  options: OperationOptions,
  tables: readonly CountedTable[] = countedTables,
): OperationStats[] {
  const stats = tables.flatMap((name) =>
    tableStats(trace, name, options).map((entry) => ({ entry, place: placeOf(name, entry) })),
  );
  stats.sort(
    (a, b) =>
      a.place - b.place ||
      b.entry.totalNs - a.entry.totalNs ||
      b.entry.count - a.entry.count ||
      (a.entry.name < b.entry.name ? -1 : 1),
  );
  return stats.map(({ entry }) => entry);
}

/** CUDA runtime, other CUDA layers, the GPU's own work, everything else. */
function placeOf(name: CountedTable, entry: OperationStats): number {
  if (name === 'cuda_call') return entry.source === 'CUDA' ? 0 : 1;
  return name === 'gpu_work' ? 2 : 3;
}

function tableStats(trace: Trace, name: CountedTable, options: OperationOptions): OperationStats[] {
  const table: Table<CountedTable> = trace.tables[name];
  if (table.rows === 0) return [];
  const columns = name === 'range' ? withoutNumbers(trace) : (table.columns as OperationColumns);
  const directionOf = directionReader(trace, name, columns);
  const hostOf = hostReader(trace, columns);
  const groups = groupApart(
    groupRows(table.rows, keyReader(columns, directionOf, options)),
    trace.hosts.length,
    hostOf,
  );
  const durations = columns.durationNs && gatherGroups(groups, columns.durationNs);
  const parts = options.range && partsWithin(columns, options.range);
  const shares = parts && gatherGroups(groups, parts);
  const bytes = sumBytes(groups, columns.bytes);
  const hasCopies = (name === 'cuda_call' || name === 'gpu_work') && options.range === undefined;
  const recorded = hasCopies ? recordedCopies(trace, name, groups) : undefined;
  const slowest = name === 'cuda_call' ? slowestRows(groups, columns.durationNs) : undefined;
  return groups.firstRows.map((row, group) => {
    const direction = directionOf(row);
    const bucket = options.bySize && columns.bytes ? sizeBucket(columns.bytes[row]) : -1;
    return {
      ...nameOf(trace, table, columns, row),
      ...hostField(trace, hostOf?.(row)),
      direction: direction === -1 ? null : directionName(direction),
      ...(bucket >= 0 && { sizeBucket: bucket }),
      count: groups.counts[group],
      bytes: bytes[group],
      ...durationStats(durations?.[group], shares?.[group]),
      ...(recorded?.[group] !== undefined && { recorded: recorded[group] }),
      ...(slowest && { slowestCall: slowest[group] }),
    };
  });
}

/** `groups`, with the rows of each host in groups of their own. */
function groupApart(groups: RowGroups, hosts: number, hostOf: HostOfRow | undefined): RowGroups {
  if (hostOf === undefined) return groups;
  const { groupOf } = groups;
  return groupRows(groupOf.length, (row) => groupOf[row] * (hosts + 1) + hostOf(row) + 1);
}

/** The number at the end of `ProfilerStep#17`: PyTorch and NVTX count what is one operation. */
const RUNNING_NUMBER = /#\d+$/;

/** The ranges' columns with one `op` for all whose names differ in their number only. */
function withoutNumbers(trace: Trace): OperationColumns {
  const { columns } = trace.tables.range;
  const firstOf = new Map<string, number>();
  const opOf = Uint32Array.from(trace.names, (name, index) => {
    const stem = `${trace.nameSources[index]} ${name.replace(RUNNING_NUMBER, '#')}`;
    const first = firstOf.get(stem) ?? index;
    firstOf.set(stem, first);
    return first;
  });
  return { ...columns, op: Uint32Array.from(columns.op, (op) => opOf[op] ?? op) };
}

function nameOf(
  trace: Trace,
  table: Table<CountedTable>,
  columns: OperationColumns,
  row: number,
): Pick<OperationStats, 'source' | 'name' | 'shortName' | 'recordedName'> {
  const { op, category } = columns;
  if (op === undefined) return { source: table.recordedAs.source, name: table.recordedAs.op };
  const source = category ? trace.names[category[row]] : trace.nameSources[op[row]];
  const name = trace.names[op[row]] ?? 'unknown';
  if (table === trace.tables.gpu_work)
    return { source: source ?? table.recordedAs.source, ...workNames(name) };
  return {
    source: source ?? table.recordedAs.source,
    name: category ? name.replace(RUNNING_NUMBER, '#…') : name,
  };
}

/** A kernel's name as a person reads it, and where there is little room. */
function workNames(recordedName: string) {
  const name = readableName(recordedName);
  const shortName = kernelBaseName(name);
  return {
    name,
    ...(shortName !== name && { shortName }),
    ...(recordedName !== name && { recordedName }),
  };
}

function directionName(code: number): Direction {
  const name = directions[code];
  return name === undefined || name === 'none' ? 'unknown' : name;
}

/** Direction code of a row, -1 where it is no copy. */
function directionReader(
  trace: Trace,
  name: CountedTable,
  { op, direction }: OperationColumns,
): (row: number) => number {
  const unknown = directions.indexOf('unknown');
  if (op === undefined || (name !== 'cuda_call' && name !== 'gpu_work')) return () => -1;
  const isCopy = Uint8Array.from(trace.names, (text) => (cudaOpKind(text) === 'copy' ? 1 : 0));
  if (name === 'cuda_call') {
    return (row) => (isCopy[op[row]] === 1 ? direction?.[row] || unknown : -1);
  }
  // What a GPU ran has names of its own ("Memcpy HtoD"): there the direction says that it is a copy.
  return (row) => direction?.[row] || (isCopy[op[row]] === 1 ? unknown : -1);
}

function keyReader(
  { op, category, bytes }: OperationColumns,
  directionOf: (row: number) => number,
  { bySize }: OperationOptions,
): (row: number) => number {
  return (row) => {
    const named = (category?.[row] ?? 0) * MAX_NAMES + (op?.[row] ?? 0);
    const bucket = bySize && bytes !== undefined ? sizeBucket(bytes[row]) : -1;
    return (named * 2 ** 9 + directionOf(row) + 1) * 2 ** 3 + bucket + 1;
  };
}

function sumBytes(groups: RowGroups, bytes: NumberArray | undefined): Float64Array {
  const sums = new Float64Array(groups.counts.length);
  if (bytes === undefined) return sums;
  for (let row = 0; row < bytes.length; row++) {
    if (bytes[row] > 0) sums[groups.groupOf[row]] += bytes[row];
  }
  return sums;
}

function slowestRows(groups: RowGroups, durations: NumberArray | undefined): readonly number[] {
  const slowest = [...groups.firstRows];
  if (durations === undefined) return slowest;
  for (let row = 0; row < durations.length; row++) {
    const group = groups.groupOf[row];
    if (durations[row] > durations[slowest[group]]) slowest[group] = row;
  }
  return slowest;
}

/** Each event's ns in the range. */
function partsWithin(
  { startNs, durationNs }: OperationColumns,
  range: TimeRange,
): Float64Array | undefined {
  if (startNs === undefined || durationNs === undefined) return undefined;
  return Float64Array.from(durationNs, (duration, row) =>
    Math.max(0, nsInRange(startNs[row], duration, range)),
  );
}

/** The sum is of `shares`, all else of whole durations. */
function durationStats(durations: Float64Array = new Float64Array(0), shares = durations) {
  let totalNs = 0;
  let maxNs = 0;
  // By index: walking through millions with an iterator takes several times as long.
  for (let row = 0; row < durations.length; row++) {
    totalNs += shares[row];
    if (durations[row] > maxNs) maxNs = durations[row];
  }
  const [p50Ns, p95Ns, p99Ns] = percentiles(durations, [50, 95, 99]);
  return { totalNs, p50Ns, p95Ns, p99Ns, maxNs };
}
