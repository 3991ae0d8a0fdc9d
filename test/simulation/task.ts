import type { wakeContexts } from '../../src-main/shared/model/codes.ts';

/** States of a task as Linux numbers them. */
export const RUNNING = 0;
export const INTERRUPTIBLE = 1;
export const UNINTERRUPTIBLE = 2;

export type WakeContext = (typeof wakeContexts)[number];

/** Why a task is off its CPU: the columns of off_cpu that are known when it leaves. */
export interface WaitReason {
  readonly state: number;
  readonly syscall: number;
  readonly syscallArg0: number;
  readonly file: number;
}

/** A mailbox tasks wait on. */
export interface Channel<Item> {
  readonly items: Item[];
  readonly waiting: Task[];
}

export function createChannel<Item>(): Channel<Item> {
  return { items: [], waiting: [] };
}

/** What a program asks for; time passes only there. */
export type Action =
  | { readonly do: 'run'; readonly ns: number; readonly stack: number; readonly mode: number }
  /** Burns CPU until `untilNs`. */
  | { readonly do: 'spin'; readonly untilNs: number; readonly stack: number; readonly mode: number }
  /** Woken by a device or timer after `ns`. */
  | {
      readonly do: 'sleep';
      readonly ns: number;
      readonly reason: WaitReason;
      readonly wokenBy: WakeContext;
    }
  /** Blocks until the channel has an item. */
  | { readonly do: 'wait'; readonly channel: Channel<unknown>; readonly reason: WaitReason };

export type Program = Generator<Action, void, void>;

export interface Task {
  /** Index into the trace's threads. */
  readonly thread: number;
  readonly program: Program;
  action: Action | undefined;
  /** CPU time left of the action. */
  leftNs: number;
  /** CPU time it had, in the scheduler's eyes. */
  servedNs: number;
  chargedFromNs: number;
  cpu: number;
  onSinceNs: number;
  offSinceNs: number;
  /** When it could have run again since it left; infinite while it can't. */
  runnableSinceNs: number;
  reason: WaitReason;
  waker: number;
  wakerContext: number;
  nextThread: number;
  cpuOut: number;
  /** Off-CPU and queueing time so far. */
  offCpuNs: number;
  runQueueNs: number;
}
