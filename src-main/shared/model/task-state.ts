import type { ThreadState } from './thread-state.ts';

/** Linux task states (`off_cpu.state`, as prev_state of sched_switch): include/linux/sched.h, fs/proc/array.c. */
const TASK_INTERRUPTIBLE = 0x1;
const TASK_UNINTERRUPTIBLE = 0x2;
/** Stopped by whoever traces it: a debugger, strace, a sampling profiler. */
const TASK_TRACED = 0x8;
/** By a control group of version 1, from Linux 6.1 on; the agent says it of version 2 as well. */
const TASK_FROZEN = 0x8000;
/** Stopped, traced, parked, or frozen. */
const STOPPED = 0x4 | TASK_TRACED | 0x40 | TASK_FROZEN;
/** EXIT_DEAD, EXIT_ZOMBIE, TASK_DEAD. */
const DEAD = 0x10 | 0x20 | 0x80;
/** With uninterruptible: an idle kernel thread, which the load average leaves out. */
const TASK_NOLOAD = 0x400;
/** Created, and waiting for its first CPU. */
const TASK_NEW = 0x800;
/** sched_switch reports a preempted task as 0, or as TASK_REPORT_MAX. */
const PREEMPTED = [0, 0x100] as const;

/** Whether it lost the CPU while it could have gone on, or had none yet. */
export function isReady(state: number): boolean {
  return isPreempted(state) || isNew(state);
}

/** Whether it lost the CPU while it could have gone on. */
export function isPreempted(state: number): boolean {
  return PREEMPTED.some((preempted) => preempted === state);
}

/** Whether it has never run: the interval begins when the thread does. */
export function isNew(state: number): boolean {
  return state >= 0 && (state & TASK_NEW) !== 0;
}

/** Whether a thread that is stopped is so because another one traces it. */
export function isTraced(state: number): boolean {
  return state >= 0 && (state & TASK_TRACED) !== 0;
}

/** TASK_KILLABLE: uninterruptible, but for a signal that ends the process. */
const KILLABLE = TASK_UNINTERRUPTIBLE | 0x100;

/** Whether only its end would have ended the wait. What waits for another process is made so, for it may never answer. */
export function isKillable(state: number): boolean {
  return state >= 0 && (state & KILLABLE) === KILLABLE;
}

/** Whether its control group is frozen. */
export function isFrozen(state: number): boolean {
  return state >= 0 && (state & TASK_FROZEN) !== 0;
}

/**
 * What a thread off the CPU did, by its raw task state at switch-out, until it was woken; -1 = not
 * recorded. `onIo` = the kernel counted it as waiting for I/O, or it had block I/O in flight.
 */
export function stateOfTask(state: number, onIo: boolean): ThreadState {
  if (state < 0) return 'unknown';
  if (isReady(state)) return 'runnable';
  if ((state & DEAD) !== 0) return 'dead';
  if ((state & STOPPED) !== 0) return 'stopped';
  if ((state & TASK_UNINTERRUPTIBLE) !== 0) {
    if ((state & TASK_NOLOAD) !== 0) return 'sleeping';
    return onIo ? 'disk' : 'uninterruptible';
  }
  return (state & TASK_INTERRUPTIBLE) !== 0 ? 'sleeping' : 'unknown';
}
