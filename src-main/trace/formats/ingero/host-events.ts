import { codeOf, type ProcessEventKind, processEventKinds } from '../../../shared/model/codes.ts';
import { addEvents, type Recording } from './add-events.ts';
import type { RowsByTable } from './classify.ts';
import { HOST_OP, SECTOR_BYTES } from './op-codes.ts';

/** Adds the events of the kernel. */
export function addHostEvents(recording: Recording, rows: RowsByTable): void {
  addSwitches(recording, rows.off_cpu);
  addWakeups(recording, rows.wakeup);
  addPageAllocs(recording, rows.page_alloc);
  addBlockIo(recording, rows.block_io);
  addSyscalls(recording, rows.syscall);
  addProcessEvents(recording, rows.process_event);
}

function addSwitches(recording: Recording, chosen: Uint32Array): void {
  const { trace, events } = recording;
  // arg1 is the task that ran before on that CPU, but in files of 0.8 (and of some 0.9) the
  // thread itself, which says nothing.
  const namesPrevious = chosen.some((row) => events.arg1[row] !== events.pid[row]);
  const optional = namesPrevious ? (['previousThread'] as const) : [];
  addEvents(recording, 'off_cpu', chosen, optional, (columns, at, row) => {
    const previous = events.arg1[row];
    if (previous !== events.pid[row])
      columns.previousThread[at] = trace.threads.positionOf(previous);
  });
}

/** In `sched_wakeup` the event's own thread is the waker, the second argument who was woken. */
function addWakeups(recording: Recording, chosen: Uint32Array): void {
  const { threads } = recording.trace;
  const { arg1, tid } = recording.events;
  addEvents(recording, 'wakeup', chosen, ['waker'], (columns, at, row) => {
    columns.thread[at] = threads.positionOf(arg1[row]);
    columns.waker[at] = threads.positionOf(tid[row]);
  });
}

function addPageAllocs(recording: Recording, chosen: Uint32Array): void {
  const { arg0 } = recording.events;
  addEvents(recording, 'page_alloc', chosen, [], (columns, at, row) => {
    columns.bytes[at] = knownOr(arg0[row]);
  });
}

function addBlockIo(recording: Recording, chosen: Uint32Array): void {
  const { arg0, arg1 } = recording.events;
  addEvents(recording, 'block_io', chosen, ['bytes', 'sector'], (columns, at, row) => {
    const sectors = knownOr(arg0[row]);
    columns.bytes[at] = sectors < 0 ? -1 : sectors * SECTOR_BYTES;
    columns.sector[at] = knownOr(arg1[row]);
  });
}

function addSyscalls(recording: Recording, chosen: Uint32Array): void {
  const { arg0, arg1 } = recording.events;
  addEvents(recording, 'syscall', chosen, ['bytes', 'fd'], (columns, at, row) => {
    columns.fd[at] = arg0[row] >= 0 && arg0[row] < 2 ** 31 ? arg0[row] : -1;
    columns.bytes[at] = knownOr(arg1[row]);
  });
}

const kinds = new Map<number, ProcessEventKind>([
  [HOST_OP.fork, 'fork'],
  [HOST_OP.exec, 'exec'],
  [HOST_OP.exit, 'exit'],
  [HOST_OP.oomKill, 'oom-kill'],
]);

function addProcessEvents(recording: Recording, chosen: Uint32Array): void {
  const { trace, events } = recording;
  addEvents(recording, 'process_event', chosen, ['subject'], (columns, at, row) => {
    const op = events.op[row];
    columns.kind[at] = codeOf(processEventKinds, kinds.get(op) ?? 'other');
    if (op === HOST_OP.fork || op === HOST_OP.oomKill)
      columns.subject[at] = trace.threads.positionOf(events.arg1[row]);
  });
}

/** A size or sector where it is one: a damaged or 64-bit value is not known. */
function knownOr(value: number): number {
  return value >= 0 && value <= 2 ** 43 ? value : -1;
}
