import { codeOf, processEventKinds, wakeContexts } from '../../shared/model/codes.ts';
import { NONE } from '../../shared/model/schema.ts';
import type { ProcessInfo, Trace } from '../../shared/model/trace.ts';

/** Who woke whom between a training process and its workers, by index into threads. */
export interface ThreadWakes {
  /** Wakes of a worker's first thread by this thread of its parent. */
  readonly ofWorkers: Float64Array;
  /** Wakes of the parent's threads by this thread of a worker. */
  readonly ofTrainer: Float64Array;
  /** Wakes of its process's first thread by this other thread of it. */
  readonly ofFirst: Float64Array;
  /** Wakes of this thread by the first thread of its process. */
  readonly byFirst: Float64Array;
  /** Wakes of this thread of the parent by a worker's helper threads. */
  readonly byWorkers: Float64Array;
  /** Waits of this thread of a worker on a socket that its parent ended. */
  readonly onSockets: Float64Array;
  /** 1 where this thread of a worker started one that has such waits. */
  readonly startedSharer: Uint8Array;
}

const TASK = codeOf(wakeContexts, 'task');
const FORK = codeOf(processEventKinds, 'fork');

/** One pass over the waits. Wakes by interrupts name a bystander, so only those by a task count. */
export function threadWakes(trace: Trace, processes: readonly ProcessInfo[]): ThreadWakes {
  const facts = threadFacts(trace, processes);
  const count = () => new Float64Array(trace.threads.length);
  const wakes = {
    ...{ ofWorkers: count(), ofTrainer: count(), ofFirst: count() },
    ...{ byFirst: count(), byWorkers: count(), onSockets: count() },
    startedSharer: new Uint8Array(trace.threads.length),
  };
  const { thread, waker, wakerContext, file } = trace.tables.off_cpu.columns;
  const isSocket = Uint8Array.from(trace.names, (name) => Number(/^socket\b/.test(name)));
  for (let row = 0; row < thread.length; row++) {
    const woken = thread[row];
    if (woken < 0 || woken >= facts.process.length) continue;
    const by = waker?.[row] ?? NONE;
    if (by < 0 || by >= facts.process.length || by === woken) continue;
    if (wakerContext !== undefined && wakerContext[row] !== TASK) continue;
    note(wakes, facts, woken, by);
    if (isSocket[file?.[row] ?? NONE] === 1 && facts.trainer[woken] === facts.process[by])
      wakes.onSockets[woken]++;
  }
  noteSharers(trace, wakes, facts);
  return wakes;
}

/** The sharer is started by the thread that first sends a tensor. */
function noteSharers(trace: Trace, wakes: ThreadWakes, { process }: ThreadFacts): void {
  const { thread, kind, subject } = trace.tables.process_event.columns;
  for (let row = 0; row < thread.length; row++) {
    const started = subject?.[row] ?? NONE;
    if (kind[row] !== FORK || !(wakes.onSockets[started] > 0)) continue;
    if (process[thread[row]] === process[started]) wakes.startedSharer[thread[row]] = 1;
  }
}

interface ThreadFacts {
  readonly process: Int32Array;
  readonly isFirst: Uint8Array;
  /** For a thread of a worker, the process that started it; else -1. */
  readonly trainer: Int32Array;
}

function threadFacts(trace: Trace, processes: readonly ProcessInfo[]): ThreadFacts {
  return {
    process: Int32Array.from(trace.threads, ({ process }) => process),
    isFirst: Uint8Array.from(trace.threads, ({ tid, process }) =>
      Number(processes[process]?.pid === tid),
    ),
    trainer: Int32Array.from(trace.threads, ({ process }) =>
      processes[process]?.role === 'dataloader-worker' ? processes[process].parent : NONE,
    ),
  };
}

function note(wakes: ThreadWakes, facts: ThreadFacts, woken: number, by: number): void {
  const { process, isFirst, trainer } = facts;
  if (process[woken] === process[by]) {
    if (isFirst[woken] === 1) wakes.ofFirst[by]++;
    else if (isFirst[by] === 1) wakes.byFirst[woken]++;
    return;
  }
  if (trainer[woken] !== NONE && trainer[woken] === process[by] && isFirst[woken] === 1)
    wakes.ofWorkers[by]++;
  if (trainer[by] === NONE || trainer[by] !== process[woken]) return;
  wakes.ofTrainer[by]++;
  if (isFirst[by] === 0) wakes.byWorkers[woken]++;
}
