import type { Random } from './random.ts';
import type { Recorder } from './recorder.ts';
import type { Scheduler } from './scheduler.ts';
import { type Action, type Channel, createChannel, INTERRUPTIBLE, type Task } from './task.ts';

/** Values of cpu_sample.mode. */
export const USER = 1;
export const KERNEL = 2;

const SYS_READ = 0;
const SYS_FUTEX = 202;

/** In a queue: there is no more work. */
export const STOP = -1;

/** What the programs of the scenario share. */
export interface Workload {
  readonly scheduler: Scheduler;
  readonly recorder: Recorder;
  readonly random: Random;
  readonly workers: number;
  /** Batches the main thread trains on. */
  readonly steps: number;
  /** The task of a thread, once it was spawned. */
  task(thread: number): Task;
  readonly indexQueues: readonly Channel<number>[];
  readonly feederQueues: readonly Channel<number>[];
  readonly results: Channel<number>;
  readonly batches: Channel<number>;
  /** From rsync to its ssh. */
  readonly archive: Channel<number>;
  /** Busy time of the GPU, start and end of each piece. */
  readonly gpuBusy: [startNs: number, endNs: number][];
}

/** The channels between the programs. */
export function createQueues(workers: number) {
  const one = () => createChannel<number>();
  return {
    indexQueues: Array.from({ length: workers }, one),
    feederQueues: Array.from({ length: workers }, one),
    results: one(),
    batches: one(),
    archive: one(),
  };
}

/** Uses the CPU for `ns`. */
export function run(ns: number, stack = -1, mode = USER): Action {
  return { do: 'run', ns, stack, mode };
}

/** Waits on a lock's address until the channel has an item. */
export function futexWait(channel: Channel<number>, address: number): Action {
  const reason = { state: INTERRUPTIBLE, syscall: SYS_FUTEX, syscallArg0: address, file: -1 };
  return { do: 'wait', channel, reason };
}

/** Waits for a pipe to have something to read. */
export function pipeRead(channel: Channel<number>, fd: number, file: number): Action {
  const reason = { state: INTERRUPTIBLE, syscall: SYS_READ, syscallArg0: fd, file };
  return { do: 'wait', channel, reason };
}
