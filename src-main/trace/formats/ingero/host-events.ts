import { codeOf, type ProcessEventKind, processEventKinds } from '../../../shared/model/codes.ts';
import { allocateColumns, type Columns, type NameArray } from '../../../shared/model/columns.ts';
import { NONE } from '../../../shared/model/schema.ts';
import type { Entities } from './entities.ts';
import { HOST_OP, SECTOR_BYTES } from './op-codes.ts';
import type { OpNames } from './op-names.ts';
import type { RawEvents } from './raw-events.ts';

/** Builders of the tables of kernel events. `order` holds row numbers of `events`, sorted by start. */

export function buildOffCpu(
  events: RawEvents,
  order: Uint32Array,
  entities: Entities,
): Columns<'off_cpu'> {
  // arg1 is the task that ran before on that CPU, but in files of 0.8 (and of some 0.9) the
  // thread itself, which says nothing.
  const namesPrevious = order.some((row) => events.arg1[row] !== events.pid[row]);
  const optional = namesPrevious ? (['previousThread'] as const) : [];
  const columns = allocateColumns('off_cpu', order.length, optional);
  fillMoments(columns, events, order, entities);
  for (let at = 0; at < order.length; at++) {
    const row = order[at] as number;
    columns.durationNs[at] = events.durationNs[row] as number;
    const previous = events.arg1[row] as number;
    if (columns.previousThread !== undefined && previous !== events.pid[row])
      columns.previousThread[at] = entities.threadOf(previous);
  }
  return columns;
}

/** In `sched_wakeup` the event's own thread is the waker, the second argument who was woken. */
export function buildWakeups(
  events: RawEvents,
  order: Uint32Array,
  entities: Entities,
): Columns<'wakeup'> {
  const columns = allocateColumns('wakeup', order.length, ['waker']);
  for (let at = 0; at < order.length; at++) {
    const row = order[at] as number;
    columns.startNs[at] = events.startNs[row] as number;
    columns.thread[at] = entities.threadOf(events.arg1[row] as number);
    if (columns.waker !== undefined)
      columns.waker[at] = entities.threadOf(events.tid[row] as number);
  }
  return columns;
}

export function buildPageAllocs(
  events: RawEvents,
  order: Uint32Array,
  entities: Entities,
): Columns<'page_alloc'> {
  const columns = allocateColumns('page_alloc', order.length);
  fillMoments(columns, events, order, entities);
  for (let at = 0; at < order.length; at++)
    columns.bytes[at] = knownOr(events.arg0[order[at] as number] as number);
  return columns;
}

export function buildBlockIo(
  events: RawEvents,
  order: Uint32Array,
  names: OpNames,
  entities: Entities,
): Columns<'block_io'> {
  const columns = allocateColumns('block_io', order.length, ['bytes', 'sector']);
  fillMoments(columns, events, order, entities);
  fillOperations(columns, events, order, names);
  for (let at = 0; at < order.length; at++) {
    const row = order[at] as number;
    const sectors = knownOr(events.arg0[row] as number);
    if (columns.bytes !== undefined) columns.bytes[at] = sectors < 0 ? -1 : sectors * SECTOR_BYTES;
    if (columns.sector !== undefined) columns.sector[at] = knownOr(events.arg1[row] as number);
  }
  return columns;
}

export function buildSyscalls(
  events: RawEvents,
  order: Uint32Array,
  names: OpNames,
  entities: Entities,
): Columns<'syscall'> {
  const columns = allocateColumns('syscall', order.length, ['bytes', 'fd']);
  fillMoments(columns, events, order, entities);
  fillOperations(columns, events, order, names);
  for (let at = 0; at < order.length; at++) {
    const row = order[at] as number;
    const fd = events.arg0[row] as number;
    if (columns.fd !== undefined) columns.fd[at] = fd >= 0 && fd < 2 ** 31 ? fd : -1;
    if (columns.bytes !== undefined) columns.bytes[at] = knownOr(events.arg1[row] as number);
  }
  return columns;
}

const kinds = new Map<number, ProcessEventKind>([
  [HOST_OP.fork, 'fork'],
  [HOST_OP.exec, 'exec'],
  [HOST_OP.exit, 'exit'],
  [HOST_OP.oomKill, 'oom-kill'],
]);

export function buildProcessEvents(
  events: RawEvents,
  order: Uint32Array,
  names: OpNames,
  entities: Entities,
): Columns<'process_event'> {
  const columns = allocateColumns('process_event', order.length, ['subject']);
  fillMoments(columns, events, order, entities);
  for (let at = 0; at < order.length; at++) {
    const row = order[at] as number;
    const op = events.op[row] as number;
    columns.op[at] = names.op(events.source[row] as number, op);
    columns.kind[at] = codeOf(processEventKinds, kinds.get(op) ?? 'other');
    const hasSubject = op === HOST_OP.fork || op === HOST_OP.oomKill;
    if (columns.subject !== undefined)
      columns.subject[at] = hasSubject ? entities.threadOf(events.arg1[row] as number) : NONE;
  }
  return columns;
}

function fillMoments(
  columns: { startNs: Float64Array; thread: Int32Array },
  events: RawEvents,
  order: Uint32Array,
  entities: Entities,
): void {
  for (let at = 0; at < order.length; at++) {
    const row = order[at] as number;
    columns.startNs[at] = events.startNs[row] as number;
    columns.thread[at] = entities.threadOf(events.tid[row] as number);
  }
}

/** Durations and operations, for tables whose events have both. */
function fillOperations(
  columns: { durationNs: Float64Array; op: NameArray },
  events: RawEvents,
  order: Uint32Array,
  names: OpNames,
): void {
  for (let at = 0; at < order.length; at++) {
    const row = order[at] as number;
    columns.durationNs[at] = events.durationNs[row] as number;
    columns.op[at] = names.op(events.source[row] as number, events.op[row] as number);
  }
}

/** A size or sector where it is one: a damaged or 64-bit value is not known. */
function knownOr(value: number): number {
  return value >= 0 && value <= 2 ** 43 ? value : -1;
}
