import { cell, type FactsPlan, MS, SECOND } from './build-facts.ts';

export const READ = 0;
export const WRITE = 1;
export const OPEN = 2;
/** TASK_KILLABLE. */
export const KILLABLE = 0x102;

interface Fed {
  readonly file?: string;
  /** Threads that wake the worker in turns: 0 is the training process, from 2 on programs. */
  readonly wakers?: readonly number[];
  readonly syscall?: number;
  readonly state?: number;
  /** Index of the process that has started the programs. */
  readonly parent?: number;
}

/** One worker that sleeps in a system call on a file, until others wake it. */
export function fedPlan({
  file = 'pipe',
  wakers = [2],
  syscall = READ,
  parent = -1,
  state = 1,
}: Fed = {}): FactsPlan {
  const programs = Math.max(1, ...wakers.map((waker) => waker - 1));
  const processes = [
    { pid: 100, name: 'python3', role: 'main' },
    { pid: 101, name: 'python3', role: 'dataloader-worker', parent: 0 },
    ...Array.from({ length: programs }, (_, at) => ({ pid: 900 + at, name: 'ffmpeg', parent })),
  ] as const;
  return {
    workers: [{ cycles: { sleeping: 6 * SECOND } }],
    costs: [cell('input', 'worker', 'sleeping', 3 * SECOND)],
    trace: {
      names: [['', file]],
      machine: { cpuModel: 'Intel Xeon' },
      processes,
      threads: processes.map(({ pid }, process) => ({ tid: pid, process, name: 'x' })),
      rows: {
        off_cpu: Array.from({ length: 200 }, (_, at) => {
          const waker = wakers[at % wakers.length] ?? -1;
          return {
            ...{ thread: 1, startNs: at * 50 * MS, durationNs: 30 * MS, state, runQueueNs: 0 },
            ...{ syscall, file: 0, waker, wakerContext: waker < 0 ? 2 : 1 },
          };
        }),
      },
    },
  };
}
