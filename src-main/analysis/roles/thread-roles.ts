import { NONE } from '../../shared/model/schema.ts';
import { foldStacks, frameAt } from '../../shared/model/stacks.ts';
import {
  drivesGpu,
  hasBatches,
  type ProcessInfo,
  type Role,
  type ThreadInfo,
  type Trace,
} from '../../shared/model/trace.ts';
import { plural } from '../../shared/text/units.ts';
import { roleByFrame, roleByThreadName, WORKER_NAME } from './role-names.ts';
import { type ThreadWakes, threadWakes } from './thread-wakes.ts';

interface Verdict {
  readonly role: Role;
  readonly basis: string;
}

/** Fewer wakes than these may be chance. */
const ENOUGH_WAKES = 2;

/**
 * The threads of `trace` with their roles. A process's first thread has the role of the process; the
 * others are told by name, else by the function they were seen in, else by who wakes whom, and are
 * otherwise a part of what their process does. What the source said of a thread stays.
 */
export function threadsWithRoles(
  trace: Trace,
  processes: readonly ProcessInfo[],
  makesCalls: (thread: number) => boolean,
): ThreadInfo[] {
  const wakes = threadWakes(trace, processes);
  const seenIn = rolesByStack(trace);
  return trace.threads.map((thread, index) => {
    const process = processes[thread.process];
    const said = roleSaid(trace, thread, process);
    if (process === undefined || said !== undefined) return { ...thread, role: said ?? 'other' };
    const judged = helperRole(thread, process, index, wakes, seenIn);
    if (judged !== undefined) return { ...thread, role: judged.role, roleBasis: judged.basis };
    return { ...thread, role: commonRole(thread, process, makesCalls(index)) };
  });
}

/** What the source said, but where that only repeats what it said of the process. */
function roleSaid(
  trace: Trace,
  thread: ThreadInfo,
  process: ProcessInfo | undefined,
): Role | undefined {
  if (thread.role === 'other') return undefined;
  const repeats = trace.processes[thread.process]?.role === thread.role;
  const isHelper = process !== undefined && thread.tid !== process.pid;
  const isCorrected =
    process !== undefined && process.role !== trace.processes[thread.process].role;
  return (repeats || isWorkerName(thread)) && (isHelper || isCorrected) ? undefined : thread.role;
}

/** A worker's threads inherit its name, and the source's verdict with it. */
function isWorkerName({ name, role }: ThreadInfo): boolean {
  return role === 'dataloader-worker' && name.startsWith(WORKER_NAME);
}

function helperRole(
  thread: ThreadInfo,
  process: ProcessInfo,
  index: number,
  wakes: ThreadWakes,
  seenIn: readonly (Verdict | undefined)[],
): Verdict | undefined {
  if (process.role === 'kernel' || thread.tid === process.pid) return undefined;
  const told = roleByThreadName(thread.name) ?? seenIn[index];
  if (told !== undefined) return told;
  if (process.role === 'dataloader-worker') return workerHelper(wakes, index);
  return hasBatches(process.role) ? trainerHelper(wakes, index) : undefined;
}

function workerHelper(wakes: ThreadWakes, index: number): Verdict | undefined {
  if (wakes.onSockets[index] > 0) {
    const basis = 'waits on a socket for the trainer, to which it hands shared memory';
    return { role: 'resource-sharer', basis };
  }
  const { byFirst, ofTrainer, startedSharer } = wakes;
  const sends = ofTrainer[index] > 0 || startedSharer[index] === 1;
  if (byFirst[index] < ENOUGH_WAKES || !sends) return undefined;
  const shows =
    ofTrainer[index] > 0
      ? `woke the trainer ${times(ofTrainer[index])}`
      : 'started the thread that hands shared memory to the trainer';
  const basis = `woken ${times(byFirst[index])} by the worker, and ${shows}`;
  return { role: 'queue-feeder', basis };
}

function trainerHelper(wakes: ThreadWakes, index: number): Verdict | undefined {
  const { byWorkers, ofFirst, ofWorkers } = wakes;
  if (byWorkers[index] >= ENOUGH_WAKES && ofFirst[index] >= ENOUGH_WAKES) {
    const basis = `woken ${times(byWorkers[index])} by workers, and woke the training thread ${times(ofFirst[index])}`;
    return { role: 'pin-memory', basis };
  }
  if (ofWorkers[index] === 0) return undefined;
  return { role: 'queue-feeder', basis: `woke a worker ${times(ofWorkers[index])}` };
}

const times = (count: number) => plural(count, 'time');

function commonRole(thread: ThreadInfo, process: ProcessInfo, makesCalls: boolean): Role {
  if (!drivesGpu(process.role)) return process.role;
  // Some recorders report a worker's thread as one of the process that started it.
  if (thread.name === WORKER_NAME) return 'dataloader-worker';
  return makesCalls || thread.tid === process.pid ? process.role : 'other';
}

/** By thread, the helper whose loop it was seen in, on a CPU or as it left one. */
function rolesByStack(trace: Trace): readonly (Verdict | undefined)[] {
  const found: (Verdict | undefined)[] = Array.from({ length: trace.threads.length });
  const { stacks } = trace;
  const ofFrame = Array.from({ length: stacks.frames.length }, (_, frame) =>
    roleByFrame(frameAt(stacks, frame)),
  );
  if (ofFrame.every((verdict) => verdict === undefined)) return found;
  /** By stack, its innermost frame with a verdict. */
  const telling = foldStacks(stacks, new Int32Array(stacks.length), NONE, (caller, frame) =>
    ofFrame[frame] === undefined ? caller : frame,
  );
  for (const table of [trace.tables.cpu_sample, trace.tables.off_cpu]) {
    const { thread, stack } = table.columns;
    if (stack === undefined) continue;
    for (let row = 0; row < thread.length; row++) {
      const verdict = ofFrame[telling[stack[row]]];
      if (verdict !== undefined && thread[row] !== NONE) found[thread[row]] ??= verdict;
    }
  }
  return found;
}
