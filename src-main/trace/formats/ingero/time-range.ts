import type { DatabaseSync } from 'node:sqlite';
import { nearestRank } from '../../../shared/numbers/percentile.ts';
import type { RowCounts } from '../../build/nothing-left.ts';
import { columnNames, readRows } from '../../sqlite/read-table.ts';
import type { RawAggregate } from './aggregates.ts';
import type { RawLabels } from './ranges.ts';
import type { RawEvents } from './raw-events.ts';
import type { Session } from './session.ts';
import type { RawSnapshots } from './snapshots.ts';

/** Time columns in the order in which they are believed. */
const timeColumns = [
  ['events', 'timestamp'],
  ['system_snapshots', 'timestamp'],
  ['event_aggregates', 'bucket'],
  ['event_aggregates_5s', 'bucket'],
  ['annotations', 'timestamp'],
] as const;
const SAMPLE_ROWS = 1001;

/**
 * A Unix time in ns that lies inside the recording: the median of a sample, so that one damaged
 * row does not move it. `undefined` where nothing has a time.
 */
export function findBaseUnixNs(database: DatabaseSync): bigint | undefined {
  for (const [table, column] of timeColumns) {
    if (!columnNames(database, table).has(column)) continue;
    const sql = `SELECT ${column} FROM ${table} WHERE typeof(${column}) = 'integer' LIMIT ${SAMPLE_ROWS}`;
    const times = Array.from(readRows(database, sql), ([time]) => time as bigint);
    times.sort((a, b) => (a < b ? -1 : a > b ? 1 : 0));
    const median = times[nearestRank(times.length, 50) - 1];
    if (median !== undefined) return median;
  }
  return undefined;
}

/** How many rows of those tables should say what happened, and how many snapshots there are: of none a time is a number. */
export function countTimedRows(database: DatabaseSync): [RowCounts, RowCounts] {
  const counted = { told: 0, beside: 0 };
  for (const [table, column] of timeColumns) {
    if (!columnNames(database, table).has(column)) continue;
    const rows = Number(database.prepare(`SELECT count(*) AS n FROM ${table}`).get()?.n ?? 0);
    counted[table === 'system_snapshots' ? 'beside' : 'told'] += rows;
  }
  return [
    { kept: 0, skipped: counted.told },
    { kept: 0, skipped: counted.beside },
  ];
}

/** All that has a time, in ns from one base. */
export interface Timed {
  readonly events: RawEvents;
  readonly snapshots: RawSnapshots;
  readonly labels: RawLabels;
  readonly aggregates: readonly RawAggregate[];
}

export interface TimeRange {
  readonly beginUnixNs: bigint;
  readonly lengthNs: number;
}

/**
 * Moves all times from the base to the trace's begin, and says where that is: at the earliest
 * start of an event, snapshot or label, or at the start of the session they belong to. Sums count
 * only where there is nothing else, cut to their session: they begin on whole minutes.
 */
export function moveToBegin(
  timed: Timed,
  baseUnixNs: bigint,
  sessions: readonly Session[],
): TimeRange {
  const range = { first: Number.POSITIVE_INFINITY, last: Number.NEGATIVE_INFINITY };
  const include = (startNs: number, durationNs: number) => {
    range.first = Math.min(range.first, startNs);
    range.last = Math.max(range.last, startNs + durationNs);
  };
  const { events, snapshots, labels, aggregates } = timed;
  for (let row = 0; row < events.rows; row++)
    include(events.startNs[row] as number, events.durationNs[row] as number);
  for (const { startNs } of snapshots.rows) include(startNs, 0);
  for (const { startNs, durationNs } of labels.rows) include(startNs, durationNs);
  if (range.first === Number.POSITIVE_INFINITY) {
    for (const { startNs, lengthNs } of aggregates) include(startNs, lengthNs);
    cutToSessions(range, baseUnixNs, sessions, aggregates);
  }
  if (range.first === Number.POSITIVE_INFINITY) return { beginUnixNs: baseUnixNs, lengthNs: 0 };
  includeSession(range, baseUnixNs, sessions);
  const beginNs = range.first;
  for (let row = 0; row < events.rows; row++) events.startNs[row] = at(events, row) - beginNs;
  for (const row of [...snapshots.rows, ...labels.rows, ...aggregates]) row.startNs -= beginNs;
  return { beginUnixNs: baseUnixNs + BigInt(beginNs), lengthNs: range.last - beginNs };
}

/** Buckets begin before the session that fills them and end after it: nothing was recorded there. */
function cutToSessions(
  range: { first: number; last: number },
  baseUnixNs: bigint,
  sessions: readonly Session[],
  aggregates: readonly RawAggregate[],
): void {
  const lengthNs = aggregates.reduce((most, sum) => Math.max(most, sum.lengthNs), 0);
  const { first, last } = range;
  const startsNs = sessions.map(({ startedUnixNs }) => Number(startedUnixNs - baseUnixNs));
  const startNs = startsNs.find((at) => at > first - lengthNs);
  if (startNs !== undefined && startNs < first + lengthNs) range.first = Math.max(first, startNs);
  const lastSession = sessions.at(-1);
  if (lastSession === undefined) return;
  const stopNs = Number(lastSession.stoppedUnixNs - baseUnixNs);
  if (stopNs > last - lengthNs && stopNs > range.first) range.last = Math.min(last, stopNs);
}

const at = (events: RawEvents, row: number) => events.startNs[row] as number;

/**
 * Widens the range to the session in which it starts and the one in which it ends. Older sessions
 * whose events were pruned would only add empty time.
 */
function includeSession(
  range: { first: number; last: number },
  baseUnixNs: bigint,
  sessions: readonly Session[],
): void {
  const starts = sessions.map(({ startedUnixNs }) => Number(startedUnixNs - baseUnixNs));
  const started = starts.findLast((startNs) => startNs <= range.first);
  const lastSession = sessions.at(-1);
  const stopped =
    lastSession === undefined ? Number.NaN : Number(lastSession.stoppedUnixNs - baseUnixNs);
  const isNear = (timeNs: number | undefined): timeNs is number =>
    timeNs !== undefined && Math.abs(timeNs) <= MAX_SESSION_DISTANCE_NS;
  if (isNear(started)) range.first = Math.min(range.first, started);
  if (isNear(stopped)) range.last = Math.max(range.last, stopped);
}

/** A session that begins or ends more than a week from the events is damage or another machine's clock. */
const MAX_SESSION_DISTANCE_NS = 7 * 86_400e9;
