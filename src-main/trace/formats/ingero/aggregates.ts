import type { DatabaseSync } from 'node:sqlite';
import { columnNames, columnOr, integer, type Row, readRows } from '../../sqlite/read-table.ts';
import { type Nodes, nodeColumn } from './nodes.ts';
import { MAX_DISTANCE_NS } from './raw-events.ts';

const MINUTE_NS = 60e9;
const FIVE_SECONDS_NS = 5e9;
const MAX_ID = 2 ** 31 - 1;

/** One row of `event_aggregates`: what Ingero counted of one operation of one process in one bucket. */
export interface RawAggregate {
  /** From the base the reader was given; buckets begin on whole minutes, so before the first event. */
  startNs: number;
  readonly lengthNs: number;
  readonly source: number;
  readonly op: number;
  /** A process, but a thread for sched_switch. */
  readonly pid: number;
  /** Which of the machines it was counted on, where the sums say it. */
  readonly node?: number;
  readonly count: number;
  /** Of these, written to `events`; -1 = not known. The file may have been pruned since. */
  readonly stored: number;
  readonly totalNs: number;
  readonly minNs: number;
  readonly maxNs: number;
  readonly sumArg0: number;
}

export interface RawAggregates {
  readonly rows: readonly RawAggregate[];
  readonly skipped: number;
  /** Sums that may be of this machine or of others: they are in no machine's rows. */
  readonly unclear?: readonly RawAggregate[];
}

/** Reads the sums per minute and per 5 s so that no event is counted twice. */
export function readAggregates(
  database: DatabaseSync,
  baseUnixNs: bigint,
  nodes: Nodes | undefined,
): RawAggregates {
  const minutes = readTable(database, 'event_aggregates', MINUTE_NS, baseUnixNs, nodes);
  const fine = readTable(database, 'event_aggregates_5s', FIVE_SECONDS_NS, baseUnixNs, nodes);
  return {
    rows: finestOf(minutes.rows, fine.rows, baseUnixNs),
    skipped: minutes.skipped + fine.skipped,
  };
}

/**
 * The 5 s table repeats the latest minutes of the other one. A minute is taken from it where it
 * is complete there (equal counts), else from the minute's own row.
 */
function finestOf(
  minutes: readonly RawAggregate[],
  fine: readonly RawAggregate[],
  baseUnixNs: bigint,
): RawAggregate[] {
  if (fine.length === 0) return [...minutes];
  const offsetNs = Number(baseUnixNs % BigInt(MINUTE_NS));
  const keyOf = ({ startNs, source, op, pid, node }: RawAggregate) =>
    `${Math.floor((startNs + offsetNs) / MINUTE_NS)} ${source} ${op} ${pid} ${node}`;
  const fineCounts = new Map<string, number>();
  for (const row of fine) fineCounts.set(keyOf(row), (fineCounts.get(keyOf(row)) ?? 0) + row.count);
  const coarse = new Set<string>();
  const kept = minutes.filter((row) => {
    const isCoarse = fineCounts.get(keyOf(row)) !== row.count;
    if (isCoarse) coarse.add(keyOf(row));
    return isCoarse;
  });
  return [...kept, ...fine.filter((row) => !coarse.has(keyOf(row)))];
}

function readTable(
  database: DatabaseSync,
  table: 'event_aggregates' | 'event_aggregates_5s',
  lengthNs: number,
  baseUnixNs: bigint,
  nodes: Nodes | undefined,
): { rows: RawAggregate[]; skipped: number } {
  const columns = columnNames(database, table);
  const required = ['bucket', 'source', 'op', 'count', 'pid'];
  if (!required.every((column) => columns.has(column))) return { rows: [], skipped: 0 };
  const optional = [
    columnOr(columns, 'stored', '-1'),
    columnOr(columns, 'sum_dur', '0'),
    columnOr(columns, 'min_dur', '-1'),
    columnOr(columns, 'max_dur', '-1'),
    columnOr(columns, 'sum_arg0', '-1'),
  ];
  const isNodeTold = nodes !== undefined && columns.has('node');
  const node = isNodeTold ? nodeColumn(columns) : "''";
  const sql = `SELECT bucket, source, op, pid, count, ${optional.join(', ')}, ${node} FROM ${table}`;
  const rows: RawAggregate[] = [];
  let skipped = 0;
  for (const row of readRows(database, sql)) {
    const aggregate = parseRow(row, lengthNs, baseUnixNs);
    if (aggregate === undefined) skipped++;
    else rows.push(isNodeTold ? { ...aggregate, node: nodes.indexOf(row[10]) } : aggregate);
  }
  return { rows, skipped };
}

function parseRow(row: Row, lengthNs: number, baseUnixNs: bigint): RawAggregate | undefined {
  const bucket = row[0];
  if (typeof bucket !== 'bigint') return undefined;
  const startNs = Number(bucket - baseUnixNs);
  const [source, op, pid, count, stored, totalNs, minNs, maxNs, sumArg0] = row
    .slice(1)
    .map((cell) => integer(cell) ?? Number.NaN) as [
    number,
    number,
    number,
    number,
    number,
    number,
    number,
    number,
    number,
  ];
  const valid =
    Math.abs(startNs) <= MAX_DISTANCE_NS &&
    source >= 0 &&
    source <= 255 &&
    op >= 0 &&
    op <= 255 &&
    pid >= 0 &&
    pid <= MAX_ID &&
    count > 0 &&
    stored >= -1 &&
    totalNs >= 0 &&
    minNs >= -1 &&
    maxNs >= -1;
  if (!valid) return undefined;
  // A sum of sizes can exceed 2^53 only by damage; the row's counts stay good.
  const bytes = Number.isNaN(sumArg0) ? -1 : sumArg0;
  return {
    startNs,
    lengthNs,
    source,
    op,
    pid,
    count,
    stored,
    totalNs,
    minNs,
    maxNs,
    sumArg0: bytes,
  };
}
