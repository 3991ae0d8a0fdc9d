import type { HostKind } from '../../../shared/answers/host-time.ts';
import type { Row } from '../../testing/build-trace.ts';
import type { CostCause } from '../facts/facts.ts';
import { cell, type FactsPlan, MS, SECOND } from './build-facts.ts';
import { sampled, stackNumber } from './sampled.ts';

/** Facts on which the rules about the training thread outside of CUDA calls fire. */

/** System calls of x86_64, and how waits end. */
export const SYSCALL = {
  ...{ read: 0, write: 1, poll: 7, fcntl: 72, flock: 73, fsync: 74 },
  ...{ wait4: 61, futex: 202, nanosleep: 230 },
};
const [TASK, SOFTIRQ, IRQ, TIMER] = [1, 2, 3, 4];

type Shown = Parameters<typeof stackNumber>[0];

/** What the training thread waited for, `count` times, `everyNs` apart. */
interface Waits extends Row<'off_cpu'> {
  readonly count: number;
  readonly everyNs: number;
  readonly shown?: Shown;
}

export function waitRows({ count, everyNs, shown, ...row }: Waits): Row<'off_cpu'>[] {
  return Array.from({ length: count }, (_, at) => ({
    thread: 0,
    state: 1,
    runQueueNs: 0,
    waker: -1,
    wakerContext: 0,
    syscall: -1,
    syscallArg0: 3,
    syscallArg1: 0,
    file: -1,
    ioWait: 0,
    stack: shown === undefined ? -1 : stackNumber(shown),
    ...row,
    startNs: (row.startNs ?? 0) + at * everyNs,
  }));
}

/** The main process with another thread, a child, and somebody who reads what it writes. */
const people = {
  processes: [
    { pid: 100, name: 'python3', parent: -1, role: 'main' },
    { pid: 300, name: 'gzip', parent: 0, role: 'other' },
    { pid: 301, name: 'tee', parent: -1, role: 'other' },
  ],
  threads: [
    { tid: 100, process: 0, name: 'python3', role: 'main' },
    { tid: 107, process: 0, name: 'refresher', role: 'other' },
    { tid: 300, process: 1, name: 'gzip', role: 'other' },
    { tid: 301, process: 2, name: 'tee', role: 'other' },
  ],
  names: [
    ['FILE', '/data/model.pt (ext4)'],
    ['FILE', 'pipe:[4711]'],
    ['FILE', 'socket to 127.0.0.1:6379 (tee, pid 301)'],
    ['FILE', '/data/rows.db-journal (ext4)'],
  ],
  machine: { cpuModel: 'Intel Xeon' },
} as const;

/** All but the end of each of 100 steps. */
const hostTime = {
  startsNs: Float64Array.from({ length: 100 }, (_, step) => step * 100 * MS),
  endsNs: Float64Array.from({ length: 100 }, (_, step) => (step * 100 + 95) * MS),
};

/** Most of 10 s is host time, with these waits and samples; `costs` of the kind that is meant. */
export function hostPlan(
  kind: HostKind,
  costs: Partial<Record<CostCause, number>>,
  seen: Parameters<typeof sampled>[0],
  waits: readonly Row<'off_cpu'>[],
  names: FactsPlan['trace'] = {},
): FactsPlan {
  const shown = sampled(seen, 0);
  const cells = Object.entries(costs) as [CostCause, number][];
  return {
    costs: cells.map(([cause, ns]) =>
      cell('other', 'main', cause, ns, kind === 'none' ? {} : { activity: kind }),
    ),
    hostTime,
    trace: {
      ...people,
      ...names,
      stacks: shown.stacks ?? [],
      rows: { ...shown.rows, ...(waits.length > 0 && { off_cpu: waits }) },
    },
  };
}

/** The training thread makes tensors into text. */
export const textPlan = hostPlan('slow-output', { running: 3 * SECOND }, { formatting: 40 }, []);

/** The training thread waits for a compiler that it started: `shown` says in which code. */
export function compilerPlan(count: number, shown?: Shown): FactsPlan {
  const cc1 = { pid: 302, name: 'cc1', parent: 0, role: 'compiler' } as const;
  const lived = Array.from({ length: 2 }, (_, at) => ({
    ...{ ...cc1, pid: 303 + at, name: at === 0 ? 'gcc' : 'cc1' },
    ...{ startNs: at * 4 * SECOND, endNs: (at * 4 + 1) * SECOND },
  }));
  const waits = waitRows({
    ...{ count, ...every(4), syscall: SYSCALL.wait4, waker: 4, wakerContext: TASK },
    ...(shown && { shown }),
  });
  return hostPlan('compiling', { sleeping: count * 90 * MS }, {}, waits, {
    processes: [...people.processes, cc1, ...lived],
    threads: [...people.threads, { tid: 302, process: 3, name: 'cc1', role: 'other' }],
  });
}

/** The samples of a plan, one in every second step. */
function everySecondStep(plan: FactsPlan): FactsPlan {
  const { rows } = plan.trace ?? {};
  const cpu_sample = rows?.cpu_sample?.map((row, at) => ({ ...row, startNs: at * 200 * MS })) ?? [];
  return { ...plan, trace: { ...plan.trace, rows: { ...rows, cpu_sample } } };
}

function byStart(a: Row<'off_cpu'>, b: Row<'off_cpu'>): number {
  return (a.startNs ?? 0) - (b.startNs ?? 0);
}

const every = (steps: number) => ({ everyNs: steps * 100 * MS, durationNs: 90 * MS });

/**
 * The training thread waits 90 ms in every step of the first half until a file is written, in a group that may write 20 MiB/s and
 * writes `done` in each of these seconds; a request takes the disk `busyNs`.
 */
export function heldBackWrites(done: number, busyNs: number): FactsPlan {
  const waits = { count: 50, ...every(1), startNs: 5 * MS, state: 2, ioWait: 1 };
  const plan = hostPlan(
    'checkpoint',
    { running: 0.05 * SECOND, disk: 4.5 * SECOND },
    { saving: 5 },
    waitRows({ ...waits, syscall: SYSCALL.fsync, file: 0, wakerContext: IRQ, shown: 'saving' }),
  );
  const each = (metric: number, value: number, later: number) =>
    Array.from({ length: 10 }, (_, at) => ({
      ...{ startNs: (at + 1) * SECOND - MS, metric, value: at < 5 ? value : later, gpu: -1 },
    }));
  const first = people.names.length;
  const names = [
    ...people.names,
    ['HOST', 'I/O limit, writes to vda (MiB/s)'],
    ['HOST', 'I/O under a limit, writes to vda (MiB/s)'],
    ['IO', 'write'],
    ['', 'vda'],
  ] as const;
  const block_io = Array.from({ length: 50 }, (_, at) => ({
    ...{
      startNs: (at * 100 + 95) * MS - busyNs,
      durationNs: busyNs,
      thread: 0,
      op: first + 2,
      device: first + 3,
    },
  }));
  const rows = {
    ...plan.trace?.rows,
    sample: [...each(first, 20, 20), ...each(first + 1, done, 0)],
    block_io,
  };
  return { ...plan, trace: { ...plan.trace, names, rows } };
}

/** The training thread itself asks a server every 4 steps, which is asleep in `look_up` until it answers. */
export const loopServerPlan: FactsPlan = {
  ...hostPlan(
    'slow-server',
    { sleeping: 0.5 * SECOND },
    {},
    [
      ...waitRows({
        ...{ count: 25, everyNs: 400 * MS, durationNs: 20 * MS, syscall: SYSCALL.read, file: 2 },
        ...{ wakerContext: SOFTIRQ, shown: 'asking' },
      }),
      ...waitRows({
        ...{ count: 25, everyNs: 400 * MS, durationNs: 18 * MS, startNs: MS, thread: 3 },
        ...{ syscall: SYSCALL.nanosleep, wakerContext: TIMER, shown: 'answering' },
      }),
    ].sort(byStart),
  ),
  workers: [],
};

/** The training thread itself waits every 4 steps for a file’s lock, in turn with another process. */
export const loopLockPlan: FactsPlan = {
  ...hostPlan(
    'shared-lock',
    { lock: 0.5 * SECOND },
    {},
    [
      ...waitRows({
        ...{ count: 25, everyNs: 400 * MS, durationNs: 20 * MS, syscall: SYSCALL.flock, file: 0 },
        ...{ waker: 3, wakerContext: TASK, shown: 'locking' },
      }),
      ...waitRows({
        ...{ count: 25, everyNs: 400 * MS, startNs: 300 * MS, durationNs: 85 * MS, thread: 3 },
        ...{ syscall: SYSCALL.flock, file: 0, waker: 0, wakerContext: TASK },
      }),
    ].sort(byStart),
  ),
  workers: [],
};

/** The training thread itself waits every 4 steps until another process has made room, which sleeps meanwhile. */
export const loopRoomPlan: FactsPlan = {
  ...hostPlan(
    'shared-lock',
    { lock: 0.5 * SECOND },
    {},
    [
      ...waitRows({
        ...{ count: 25, everyNs: 400 * MS, durationNs: 20 * MS, syscall: SYSCALL.futex },
        ...{ syscallArg1: 0x109, waker: 3, wakerContext: TASK, shown: 'locking' },
      }),
      ...waitRows({
        ...{ count: 25, everyNs: 400 * MS, durationNs: 18 * MS, startNs: MS, thread: 3 },
        ...{ syscall: SYSCALL.nanosleep, wakerContext: TIMER, shown: 'answering' },
      }),
    ].sort(byStart),
  ),
  workers: [],
};

/** The training thread itself sleeps every 10 steps until SQLite has a lock, while another process writes. */
export const loopDatabasePlan: FactsPlan = {
  ...hostPlan(
    'shared-lock',
    { lock: 0.5 * SECOND },
    {},
    [
      ...[1, 2, 5, 10, 15, 20].flatMap((ms, step) =>
        waitRows({
          ...{ count: 10, everyNs: 1000 * MS, startNs: step * 20 * MS, durationNs: ms * MS },
          ...{ syscall: SYSCALL.nanosleep, wakerContext: TIMER, shown: 'locking' },
        }),
      ),
      ...waitRows({
        ...{ count: 10, everyNs: 1000 * MS, durationNs: 90 * MS, thread: 3, state: 2, ioWait: 1 },
        ...{ syscall: SYSCALL.fsync, file: 3, wakerContext: IRQ },
      }),
    ].sort(byStart),
  ),
  workers: [],
};

/** The loop sleeps for 6 of 8 s, and a program of the job has so many CPU samples meanwhile, 20 ms apart from 0 on. */
export function pollingPlan(samples: number): FactsPlan {
  const rows = waitRows({
    ...{ count: 20, everyNs: 400 * MS, durationNs: 300 * MS },
    ...{ syscall: SYSCALL.nanosleep, wakerContext: TIMER, shown: 'sleeping' },
  });
  const plan = hostPlan('sleep', { sleeping: 6 * SECOND }, {}, rows);
  const cpu_sample = sampled({ merging: samples }, 2).rows.cpu_sample;
  const looks = { kind: 'sampled', note: '', everyNs: 20 * MS } as const;
  return {
    ...plan,
    trace: {
      ...plan.trace,
      rows: { ...plan.trace?.rows, cpu_sample },
      provenance: { cpu_sample: looks },
    },
  };
}

export const hostExamples: Readonly<Record<string, FactsPlan>> = {
  checkpoint: hostPlan(
    'checkpoint',
    { running: 0.1 * SECOND, disk: 0.45 * SECOND },
    { saving: 5 },
    waitRows({
      ...{ count: 5, ...every(20), startNs: 5 * MS, state: 2, ioWait: 1 },
      ...{ syscall: SYSCALL.fsync, file: 0, wakerContext: IRQ, shown: 'saving' },
    }),
  ),
  packing: hostPlan('checkpoint', { running: 2 * SECOND }, { serialising: 60 }, []),
  'slow-output': hostPlan(
    'slow-output',
    { sleeping: 4.5 * SECOND },
    { logging: 6 },
    waitRows({
      ...{ count: 50, ...every(2), syscall: SYSCALL.write, file: 1 },
      ...{ waker: 3, wakerContext: TASK, shown: 'logging' },
    }),
  ),
  'garbage-collection': hostPlan(
    'garbage-collection',
    { running: 2 * SECOND },
    { collecting: 60 },
    [],
  ),
  compiling: everySecondStep(hostPlan('compiling', { running: 2 * SECOND }, { compiling: 50 }, [])),
  'host-metrics': hostPlan('host-metrics', { running: 2 * SECOND }, { scoring: 60 }, []),
  evaluation: hostPlan('evaluation', { running: 2 * SECOND }, { evaluating: 60 }, []),
  'subprocess-wait': hostPlan(
    'subprocess-wait',
    { sleeping: 2.25 * SECOND },
    {},
    waitRows({
      ...{ count: 25, ...every(4), syscall: SYSCALL.wait4, waker: 2, wakerContext: TASK },
      shown: 'waitingForChild',
    }),
  ),
  sleep: hostPlan(
    'sleep',
    { sleeping: 2.25 * SECOND },
    {},
    waitRows({
      ...{ count: 25, ...every(4), syscall: SYSCALL.nanosleep, wakerContext: TIMER },
      shown: 'sleeping',
    }),
  ),
  producer: hostPlan(
    'producer',
    { lock: 2.25 * SECOND },
    {},
    waitRows({
      ...{ count: 25, ...every(4), syscall: SYSCALL.futex, waker: 1, wakerContext: TASK },
      shown: 'waitingForMade',
    }),
  ),
  'thread-lock': hostPlan(
    'thread-lock',
    { lock: 2.25 * SECOND },
    {},
    waitRows({
      ...{ count: 25, ...every(4), syscall: SYSCALL.futex, waker: 1, wakerContext: TASK },
      shown: 'waitingForThread',
    }),
  ),
  'host-data-movement': {
    ...hostPlan('host-data-movement', { running: 2 * SECOND }, { converting: 60 }, []),
    isPreparing: true,
  },
};

/** The loop asks a program that stays, at each step. */
export const askedProgramPlan = hostPlan(
  'subprocess-wait',
  { sleeping: 2.25 * SECOND },
  {},
  waitRows({
    ...{ count: 25, ...every(4), syscall: SYSCALL.read, waker: 2, wakerContext: TASK },
    shown: 'waitingForChild',
  }),
);
