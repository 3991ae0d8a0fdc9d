import { orderByStart } from '../../build/sort-rows.ts';
import { HOST_OP, opKey, SOURCE } from './op-codes.ts';
import type { OpNames } from './op-names.ts';
import type { RawEvents } from './raw-events.ts';

/** Tables of the model that single events of Ingero go to. */
const eventTables = [
  'cuda_call',
  'off_cpu',
  'wakeup',
  'page_alloc',
  'block_io',
  'syscall',
  'process_event',
  'range',
  'aggregate',
] as const;
export type EventTable = (typeof eventTables)[number];

const hostTables = new Map<number, EventTable>([
  [HOST_OP.schedSwitch, 'off_cpu'],
  [HOST_OP.wakeup, 'wakeup'],
  [HOST_OP.pageAlloc, 'page_alloc'],
  [HOST_OP.oomKill, 'process_event'],
  [HOST_OP.exec, 'process_event'],
  [HOST_OP.exit, 'process_event'],
  [HOST_OP.fork, 'process_event'],
  [HOST_OP.podRestart, 'process_event'],
  [HOST_OP.podEviction, 'process_event'],
  [HOST_OP.podOomKill, 'process_event'],
  [HOST_OP.pageAllocSummary, 'aggregate'],
  [HOST_OP.switchSummary, 'aggregate'],
]);

/** Where events of an operation go; those of a kind this model has no table for are ranges. */
export function tableOf(source: number, op: number, isKnown: boolean): EventTable {
  switch (source) {
    case SOURCE.runtime:
    case SOURCE.driver:
    case SOURCE.graph:
      return isKnown ? 'cuda_call' : 'range';
    case SOURCE.host:
      return hostTables.get(op) ?? 'range';
    case SOURCE.io:
      return op >= 1 && op <= 3 ? 'block_io' : 'range';
    case SOURCE.net:
      return op === 1 || op === 2 ? 'syscall' : 'range';
    default:
      return 'range';
  }
}

export type RowsByTable = Readonly<Record<EventTable, Uint32Array>>;

/** Row numbers of the events of each table, in the order of time, so that names are numbered as they are met. */
export function rowsByTable(events: RawEvents, names: OpNames): RowsByTable {
  const codes = new Map<number, number>();
  const codeOfRow = new Uint8Array(events.rows);
  const counts = eventTables.map(() => 0);
  for (let row = 0; row < events.rows; row++) {
    const source = events.source[row] as number;
    const op = events.op[row] as number;
    const key = opKey(source, op);
    let code = codes.get(key);
    if (code === undefined) {
      code = eventTables.indexOf(tableOf(source, op, names.isKnown(source, op)));
      codes.set(key, code);
    }
    codeOfRow[row] = code;
    counts[code] = (counts[code] as number) + 1;
  }
  const orders = counts.map((count) => new Uint32Array(count));
  const filled = eventTables.map(() => 0);
  const inTime = orderOf(events);
  for (let place = 0; place < events.rows; place++) {
    const row = inTime === undefined ? place : inTime[place];
    const code = codeOfRow[row] as number;
    const at = filled[code] as number;
    (orders[code] as Uint32Array)[at] = row;
    filled[code] = at + 1;
  }
  return Object.fromEntries(
    eventTables.map((table, code) => [table, orders[code] as Uint32Array]),
  ) as Record<EventTable, Uint32Array>;
}

function orderOf({ rows, startNs, durationNs }: RawEvents): Uint32Array | undefined {
  return orderByStart(startNs.subarray(0, rows), durationNs.subarray(0, rows));
}
