import type { Trace } from '../../../shared/model/trace.ts';
import { STATUS_CHECK_MS } from '../../index/loader-polls.ts';
import { withRoles } from '../../roles/roles.ts';
import type { Row } from '../../testing/build-trace.ts';
import { asleep, byTimer, calls as syscalls, wakes, wokenBy } from '../../testing/loader-trace.ts';
import type { Random } from '../../threads/testing/random-time.ts';
import {
  AUTOGRAD,
  LOADER_STACK,
  loopTrace,
  MAIN,
  MS,
  oneStep,
  TRAIN_STACK,
  WORKER,
} from './loop-trace.ts';

/**
 * Loops made at random that know how long they waited for input: what samples and switches show of them. From outside
 * the loader's worker and another child of the loop look the same: both were forked and go on in Python.
 */

export interface KnownLoop {
  readonly trace: Trace;
  /** From the first step's begin to the last one's end, ns. */
  readonly inputNs: number;
}

type Wait = Row<'off_cpu'>;

/** The only thread of a process that the loop forked for itself. */
const CHILD = 4;
const forked = {
  parent: 0,
  role: 'dataloader-worker',
  roleBasis: 'one of several forked by a Python process without exec',
} as const;
const processes = [
  { pid: 1, name: 'python3', role: 'main' },
  { pid: 2, name: 'python3', ...forked },
  { pid: 5, name: 'python3', ...forked },
] as const;
const threads = [
  { tid: 1, process: 0 },
  { tid: 2, process: 1 },
  { tid: 3, process: 0 },
  { tid: 4, process: 0, role: 'pin-memory' },
  { tid: 5, process: 2 },
] as const;

/** What a loop does between two steps: it runs there, or waits in this way. */
interface Part {
  readonly isInput: boolean;
  readonly wait?: Wait;
  /** Mean length; each time it takes between half and one and a half of it. */
  readonly ns: number;
}

/** What other than the loader a main thread waits for. */
const FOREIGN: readonly (Wait | undefined)[] = [
  undefined,
  // It computes; writes to a pipe that somebody empties, or a process taken for a worker; waits for its own threads.
  { syscall: syscalls.write, ...wokenBy(AUTOGRAD) },
  { syscall: syscalls.write, ...wokenBy(WORKER) },
  { syscall: syscalls.futex, ...wokenBy(AUTOGRAD) },
  // fsync; a child process; a pause; a socket, woken while a worker happened to run.
  { syscall: 74, state: 2, ioWait: 1, wakerContext: wakes.irq },
  { syscall: 61, ...wokenBy(AUTOGRAD) },
  { syscall: syscalls.sleep, ...byTimer },
  { syscall: syscalls.read, wakerContext: wakes.irq, waker: WORKER },
  // What a child of its own answers, asked in a pipe, a queue or under a lock; a lock that a worker held.
  { syscall: syscalls.read, ...wokenBy(CHILD) },
  { syscall: syscalls.poll, syscallArg2: 1000, ...wokenBy(CHILD) },
  { syscall: syscalls.futex, ...wokenBy(CHILD) },
  { syscall: syscalls.futex, ...wokenBy(WORKER) },
];
/** Batches come from a worker, or are made here: of what was read, or after a pause. */
const LOADING: readonly (Wait | undefined)[] = [
  undefined,
  { syscall: syscalls.poll, syscallArg2: STATUS_CHECK_MS, ...wokenBy(WORKER) },
  { syscall: syscalls.read, state: 2, ioWait: 1, wakerContext: wakes.irq },
  { syscall: syscalls.sleep, ...byTimer },
];

const SAMPLED_EVERY_NS = 20 * MS;
const STEP_CALLS_NS = 5 * MS;

/** From this length on every wait of a main thread has its stack, where the recorder takes any (agent/wire.h). */
const LONG_WAIT_NS = 5 * MS;

/** 20 to 120 steps, each with the same parts in the same order. Shorter waits have no stack, or a part of them. */
export function randomLoop(random: Random, { waitStacks = false } = {}): KnownLoop {
  const parts = (isInput: boolean, choices: readonly (Wait | undefined)[], most: number): Part[] =>
    Array.from({ length: random(most + 1) }, () => {
      const wait = choices[random(choices.length)];
      const ns = (1 + random(random(3) === 0 ? 100 : 8)) * MS;
      return { isInput, ns, ...(wait && { wait }) };
    });
  const loading = [
    { isInput: true, ns: MS },
    ...parts(true, LOADING, 2),
    { isInput: true, ns: MS },
  ];
  const order = [...parts(false, FOREIGN, 3), ...loading, ...parts(false, FOREIGN, 3)];
  const shortStacks = random(2) / 2;
  const hasStack = (ns: number) =>
    waitStacks && (ns >= LONG_WAIT_NS || random(100) < 100 * shortStacks);
  return runLoop(order, 20 + random(100), random, hasStack);
}

function runLoop(
  order: readonly Part[],
  steps: number,
  random: Random,
  hasStack: (ns: number) => boolean,
): KnownLoop {
  const cuda_call: Row<'cuda_call'>[] = [];
  // Once the worker was asked for a batch before it had made the last one.
  const off_cpu: Wait[] = [
    asleep(WORKER, 0, MS, {
      ...{ syscall: syscalls.poll, syscallArg2: STATUS_CHECK_MS },
      ...wokenBy(MAIN),
    }),
  ];
  const cpu_sample: Row<'cpu_sample'>[] = [];
  let nowNs = 0;
  let untilSampleNs = random(SAMPLED_EVERY_NS);
  let inputNs = 0;
  const run = (ns: number, stack: number) => {
    // By the CPU's clock: it stands while the thread waits.
    for (; untilSampleNs < ns; untilSampleNs += SAMPLED_EVERY_NS)
      cpu_sample.push({ startNs: nowNs + untilSampleNs, thread: MAIN, stack });
    untilSampleNs -= ns;
    nowNs += ns;
  };
  for (let step = 0; step <= steps; step++) {
    cuda_call.push(...oneStep(nowNs));
    run(STEP_CALLS_NS, TRAIN_STACK);
    if (step === steps) break;
    for (const { isInput, wait, ns: meanNs } of order) {
      const ns = Math.round(meanNs / 2) + random(meanNs);
      if (isInput) inputNs += ns;
      const stack = isInput ? LOADER_STACK : TRAIN_STACK;
      if (wait === undefined) run(ns, stack);
      else {
        const known = hasStack(ns) ? { stack } : {};
        off_cpu.push(asleep(MAIN, nowNs, nowNs + ns, { ...wait, ...known }));
        nowNs += ns;
      }
    }
  }
  const trace = loopTrace(
    { cuda_call, off_cpu, cpu_sample },
    { processes, threads, lengthNs: nowNs, machine: { cpuModel: 'Intel Xeon' } },
  );
  return { trace: withRoles(trace), inputNs };
}
