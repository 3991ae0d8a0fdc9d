import type { DatabaseSync } from 'node:sqlite';
import { longer } from '../../build/longer-array.ts';
import { columnNames, columnOr, integer, type Row, readRows } from '../../sqlite/read-table.ts';
import { type Nodes, nodeColumn } from './nodes.ts';
import { isStampedAtEnd } from './op-codes.ts';
import type { StackTable } from './stacks.ts';

/** Times further than this from the file's middle are damage, not events: 52 days. */
export const MAX_DISTANCE_NS = 2 ** 52;
const MAX_ID = 2 ** 31 - 1;
const MAX_CODE = 255;
const FIRST_CAPACITY = 4096;
const PROGRESS_ROWS = 100_000;

/** The rows of `events` that make sense, in the file's order. Times in ns from `baseUnixNs`. */
export interface RawEvents {
  readonly baseUnixNs: bigint;
  rows: number;
  startNs: Float64Array<ArrayBuffer>;
  durationNs: Float64Array<ArrayBuffer>;
  pid: Int32Array<ArrayBuffer>;
  tid: Int32Array<ArrayBuffer>;
  source: Uint8Array<ArrayBuffer>;
  op: Uint8Array<ArrayBuffer>;
  /** 64-bit arguments; above 2^53 (addresses of IPv4 peers) they are not exact. */
  arg0: Float64Array<ArrayBuffer>;
  arg1: Float64Array<ArrayBuffer>;
  returnCode: Int32Array<ArrayBuffer>;
  /** Index into the stack table, -1 = none. */
  stack: Int32Array<ArrayBuffer>;
  /** Which of the machines it happened on; empty where the file is of one. */
  node: Uint16Array<ArrayBuffer>;
  /** Rows left out because a cell had the wrong type or an impossible value. */
  skipped: number;
}

export const requiredEventColumns = ['timestamp', 'pid', 'tid', 'source', 'op', 'duration'];

/** Room for `capacity` events, of several machines where `areNodesTold`. */
export function emptyEvents(
  baseUnixNs: bigint,
  capacity: number,
  areNodesTold: boolean,
): RawEvents {
  return {
    baseUnixNs,
    rows: 0,
    startNs: new Float64Array(capacity),
    durationNs: new Float64Array(capacity),
    pid: new Int32Array(capacity),
    tid: new Int32Array(capacity),
    source: new Uint8Array(capacity),
    op: new Uint8Array(capacity),
    arg0: new Float64Array(capacity),
    arg1: new Float64Array(capacity),
    returnCode: new Int32Array(capacity),
    stack: new Int32Array(capacity),
    node: new Uint16Array(areNodesTold ? capacity : 0),
    skipped: 0,
  };
}

function grow(events: RawEvents): void {
  const room = 2 * events.startNs.length;
  events.startNs = longer(events.startNs, room);
  events.durationNs = longer(events.durationNs, room);
  events.pid = longer(events.pid, room);
  events.tid = longer(events.tid, room);
  events.source = longer(events.source, room);
  events.op = longer(events.op, room);
  events.arg0 = longer(events.arg0, room);
  events.arg1 = longer(events.arg1, room);
  events.returnCode = longer(events.returnCode, room);
  events.stack = longer(events.stack, room);
  events.node = longer(events.node, 2 * events.node.length);
}

/**
 * Reads the whole `events` table. `onRows` is called now and then with the number of rows read.
 * Throws what SQLite throws.
 */
export function readEvents(
  database: DatabaseSync,
  baseUnixNs: bigint,
  stacks: StackTable,
  nodes: Nodes | undefined,
  onRows: (rows: number) => void,
): RawEvents {
  const columns = columnNames(database, 'events');
  const events = emptyEvents(baseUnixNs, FIRST_CAPACITY, nodes !== undefined);
  const inlineStacks = columns.has('stack_ips') && hasInlineStacks(database);
  const optional = ['arg0', 'arg1', 'ret_code', 'stack_hash'];
  const sql = `SELECT timestamp, pid, tid, source, op, duration,
    ${optional.map((column) => columnOr(columns, column, '0')).join(', ')},
    ${inlineStacks ? INLINE_STACK : "''"},
    ${nodes === undefined ? "''" : nodeColumn(columns)} FROM events`;
  let seen = 0;
  for (const row of readRows(database, sql)) {
    if (events.rows === events.startNs.length) grow(events);
    if (nodes !== undefined) events.node[events.rows] = nodes.indexOf(row[11]);
    if (!appendEvent(events, row, stacks)) events.skipped++;
    if (++seen % PROGRESS_ROWS === 0) onRows(seen);
  }
  return events;
}

// Files from before stacks were interned have them in each row; read only where there are any.
const INLINE_STACK =
  "CASE WHEN typeof(stack_ips) = 'text' THEN substr(stack_ips, 1, 8192) ELSE '' END";

function hasInlineStacks(database: DatabaseSync): boolean {
  const sql = "SELECT 1 FROM events WHERE typeof(stack_ips) = 'text' AND stack_ips <> '' LIMIT 1";
  return database.prepare(sql).get() !== undefined;
}

function appendEvent(events: RawEvents, row: Row, stacks: StackTable): boolean {
  const at = events.rows;
  const timestamp = row[0];
  const pid = integer(row[1]) ?? -1;
  const tid = integer(row[2]) ?? -1;
  const source = integer(row[3]) ?? -1;
  const op = integer(row[4]) ?? -1;
  const durationNs = integer(row[5]) ?? -1;
  const returnCode = integer(row[8]) ?? Number.NaN;
  if (typeof timestamp !== 'bigint' || typeof row[6] !== 'bigint' || typeof row[7] !== 'bigint')
    return false;
  const stampNs = Number(timestamp - events.baseUnixNs);
  const startNs = isStampedAtEnd(source) ? stampNs - durationNs : stampNs;
  if (!(Math.abs(stampNs) <= MAX_DISTANCE_NS && Math.abs(startNs) <= MAX_DISTANCE_NS)) return false;
  if (durationNs < 0 || durationNs > MAX_DISTANCE_NS) return false;
  if (pid < 0 || pid > MAX_ID || tid < 0 || tid > MAX_ID) return false;
  if (source < 0 || source > MAX_CODE || op < 0 || op > MAX_CODE) return false;
  if (!(Math.abs(returnCode) <= MAX_ID)) return false;
  events.startNs[at] = startNs;
  events.durationNs[at] = durationNs;
  events.pid[at] = pid;
  events.tid[at] = tid;
  events.source[at] = source;
  events.op[at] = op;
  events.arg0[at] = Number(row[6]);
  events.arg1[at] = Number(row[7]);
  events.returnCode[at] = returnCode;
  events.stack[at] = stacks.indexOf(row[9], row[10]);
  events.rows++;
  return true;
}
