import { codeOf, wakeContexts } from '../../shared/model/codes.ts';
import type { Trace } from '../../shared/model/trace.ts';
import { withRoles } from '../roles/roles.ts';
import { buildTrace, type Row, type TracePlan } from './build-trace.ts';

/** Threads of the loader that `loaderTrace` builds. */
export const loaderThreads = { main: 0, workerMain: 1, feeder: 2, pin: 3, stranger: 4 } as const;

/** System calls of x86-64. */
export const calls = { read: 0, write: 1, poll: 7, futex: 202, sleep: 230 } as const;
/** FUTEX_WAIT_BITSET without a limit of time; with one, as for Python's interpreter lock. */
export const futexOps = { endless: 0x189, timed: 0x89 } as const;
const INTERRUPTIBLE = 1;
const NEW = 0x800;
export const wakes = {
  task: codeOf(wakeContexts, 'task'),
  timer: codeOf(wakeContexts, 'timer'),
  irq: codeOf(wakeContexts, 'irq'),
  softirq: codeOf(wakeContexts, 'softirq'),
} as const;

type Switch = Row<'off_cpu'>;

/** `thread` asleep over [startNs, endNs), ready `queuedNs` before it ran again. */
export function asleep(
  thread: number,
  startNs: number,
  endNs: number,
  more: Switch = {},
): Required<Pick<Switch, 'thread' | 'startNs' | 'durationNs'>> & Switch {
  return {
    ...{ thread, startNs, durationNs: endNs - startNs, state: INTERRUPTIBLE, runQueueNs: 0 },
    ...{ waker: -1, wakerContext: 0, syscall: -1, syscallArg0: -1, syscallArg1: -1 },
    ...{ syscallArg2: -1, file: -1, cpuIn: 0, cpuOut: 0, ioWait: 0 },
    ...more,
  };
}

export const wokenBy = (waker: number): Switch => ({ waker, wakerContext: wakes.task });
export const byTimer: Switch = { wakerContext: wakes.timer };

export interface LoaderPlan {
  readonly batches: number;
  /** What a batch takes the worker, of which it sleeps all but 10 µs. */
  readonly batchNs: number;
  /** Each takes so much more than the one before. */
  readonly growNs?: number;
  /** The last of so many batches takes another time. */
  readonly odd?: { readonly every: number; readonly batchNs: number };
  /** Batches reach the main thread through the pin-memory thread, which takes 30 µs for one. */
  readonly pinned?: boolean;
  readonly rows?: TracePlan['rows'];
  readonly stacks?: TracePlan['stacks'];
  readonly extra?: readonly Switch[];
}

/** When the worker is forked, and its first batch begins. */
export const BORN_NS = 1_000_000;
const PIN_NS = 30_000;
const SEND_NS = 20_000;

/** When batch `batch` is put; it is sent 20 µs later. */
export function putNsOf({ batchNs, odd, growNs = 0 }: LoaderPlan, batch: number): number {
  const others = odd === undefined ? 0 : Math.floor((batch + 1) / odd.every);
  const grownNs = (growNs * batch * (batch + 1)) / 2;
  return BORN_NS + (batch + 1 - others) * batchNs + others * (odd?.batchNs ?? 0) + grownNs;
}

/**
 * A training process that only waits for its one DataLoader worker: main thread ← [pin-memory thread ←]
 * queue feeder ← main thread of the worker ← a timer, in which it sleeps.
 */
export function loaderTrace(plan: LoaderPlan): Trace {
  const { main, workerMain, feeder, pin } = loaderThreads;
  const endNs = putNsOf(plan, plan.batches) + 1e6;
  const switches: Switch[] = [
    asleep(workerMain, BORN_NS - 1000, BORN_NS, { state: NEW, ...wokenBy(main) }),
    asleep(main, 0, 1, byTimer),
    asleep(pin, 0, 1, byTimer),
    asleep(feeder, 0, 1, byTimer),
  ];
  const receiver = plan.pinned === true ? pin : main;
  for (let batch = 0; batch < plan.batches; batch++) {
    const putNs = putNsOf(plan, batch);
    const sentNs = putNs + SEND_NS;
    const beganNs = putNsOf(plan, batch - 1);
    const sinceNs = beganNs + 100_000;
    const idle = { syscall: calls.futex, syscallArg1: futexOps.endless, ...wokenBy(workerMain) };
    const inPoll = { syscall: calls.poll, syscallArg1: 1, syscallArg2: 5000, ...wokenBy(feeder) };
    const sleeping = { syscall: calls.sleep, ...byTimer };
    switches.push(
      asleep(workerMain, beganNs + 5000, putNs - 5000, sleeping),
      asleep(feeder, sinceNs, putNs, idle),
      asleep(receiver, sinceNs, sentNs, inPoll),
    );
    if (plan.pinned === true)
      switches.push(asleep(main, sinceNs, sentNs + PIN_NS, { ...idle, ...wokenBy(pin) }));
  }
  const last = [main, workerMain, feeder, pin].map((thread) =>
    asleep(thread, endNs, endNs + 1, byTimer),
  );
  return loaderOf(plan, [...switches, ...(plan.extra ?? []), ...last]);
}

function loaderOf(plan: LoaderPlan, switches: readonly Switch[]): Trace {
  const trace = buildTrace({
    names: [
      ['HOST', 'sched_switch'],
      ['CUDA', 'cudaMemcpyAsync'],
      ['', '/data/fifo (ext4)'],
    ],
    processes: [
      { pid: 10, name: 'python3', role: 'main', roleBasis: 'said' },
      { pid: 20, name: 'python3', parent: 0, role: 'dataloader-worker', startNs: BORN_NS },
      { pid: 30, name: 'bash' },
    ],
    threads: [
      { tid: 10, process: 0, name: 'python3', role: 'main' },
      { tid: 20, process: 1, name: 'python3', role: 'dataloader-worker' },
      { tid: 21, process: 1, name: 'python3' },
      { tid: 11, process: 0, name: 'pt_data_pin' },
      { tid: 30, process: 2, name: 'bash' },
    ],
    ...(plan.stacks !== undefined && { stacks: plan.stacks }),
    rows: {
      cuda_call: [{ startNs: 100, durationNs: 10, thread: 0, op: 1, layer: 1 }],
      ...plan.rows,
      off_cpu: switches.toSorted((a, b) => (a.startNs ?? 0) - (b.startNs ?? 0)),
    },
  });
  return withRoles({ ...trace, hosts: [{ cpuModel: 'Intel Xeon' }] });
}
