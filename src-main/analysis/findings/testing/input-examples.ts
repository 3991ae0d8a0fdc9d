import { codeOf, processEventKinds, wakeContexts } from '../../../shared/model/codes.ts';
import { noEvents } from '../../../shared/model/event-ref.ts';
import type { TracePlan } from '../../testing/build-trace.ts';
import { cell, type FactsPlan, MS, SECOND } from './build-facts.ts';
import { sampled, sampledThreads } from './sampled.ts';

/** Facts on which the rules about loading and its workers fire: the least that each needs. */

type Worker = NonNullable<FactsPlan['workers']>[number];

/** `count` workers whose states and cycles are all alike. */
function alike(count: number, plan: Worker): Worker[] {
  return Array.from({ length: count }, () => plan);
}

/** Busy all the time: 200 ms of CPU time a batch, few faults. */
const busy: Worker = {
  states: { runningNs: 10 * SECOND, minorFaults: 20_000 },
  cycles: { running: 10 * SECOND },
};

const fork = codeOf(processEventKinds, 'fork');
const exec = codeOf(processEventKinds, 'exec');

const sampledWork: FactsPlan = {
  workers: [busy],
  costs: [cell('input', 'worker', 'running', 4 * SECOND)],
};

/** A worker that waits for pages of a mapped file, three times as often as in a read. */
export function pagedReads(): TracePlan {
  const wait = { durationNs: 10 * MS, thread: 1, state: 2, ioWait: 1, runQueueNs: 0 };
  return {
    rows: {
      off_cpu: Array.from({ length: 200 }, (_, at) => ({
        ...{ ...wait, startNs: at * 40 * MS, syscall: at % 4 === 0 ? 0 : -1 },
      })),
    },
  };
}

export const inputExamples: Readonly<Record<string, FactsPlan>> = {
  'workers-to-cores': {
    cpus: { machine: 2, usable: 2, idleShare: 0.02, basis: '' },
    workers: alike(4, {
      states: { runningNs: 4 * SECOND, runnableNs: 6 * SECOND },
      cycles: { running: 4 * SECOND, 'runnable-own': 6 * SECOND },
    }),
    costs: [
      cell('input', 'worker', 'runnable-own', 3 * SECOND),
      cell('input', 'worker', 'running', 2 * SECOND),
      cell('h2d', 'main', 'runnable-own', SECOND),
    ],
  },
  'idle-workers': {
    cpus: { machine: 8, usable: 8, idleShare: 0.7, basis: '' },
    workers: [busy],
    generations: [{ workers: [1, 2, 3, 4], startNs: 0, endNs: 10 * SECOND, loader: 0 }],
    costs: [cell('input', 'worker', 'running', 5 * SECOND)],
  },
  'more-workers': {
    cpus: { machine: 8, usable: 8, idleShare: 0.7, basis: '' },
    workers: alike(2, busy),
    costs: [cell('input', 'worker', 'running', 5 * SECOND)],
  },
  'workers-zero': {
    cpus: { machine: 4, usable: 4, idleShare: 0.6, basis: '' },
    costs: [cell('input', 'main', 'running', 6 * SECOND)],
    trace: sampled({ item: 40 }, 0),
  },
  'persistent-workers': {
    workers: [
      { generation: 0, window: [0, 3 * SECOND] },
      { generation: 1, window: [3.1 * SECOND, 6 * SECOND] },
      { generation: 2, window: [6.1 * SECOND, 9 * SECOND] },
    ],
    costs: [cell('input', 'worker', 'starting', SECOND)],
    trace: {
      rows: {
        process_event: [1, 2, 3].map((subject) => ({
          startNs: subject * SECOND,
          thread: 0,
          kind: fork,
          subject,
        })),
      },
    },
  },
  'lazy-init': {
    workers: alike(2, { cycles: { starting: 4 * SECOND, running: 2 * SECOND } }),
    costs: [cell('input', 'worker', 'starting', 4 * SECOND)],
  },
  prefetch: {
    workers: alike(2, { cycles: { running: 4 * SECOND, 'waiting-for-index': 5 * SECOND } }),
    costs: [cell('input', 'worker', 'waiting-for-index', SECOND)],
    ahead: 2,
    h2d: [
      {
        ...{ memory: 'pinned', exact: true, calls: 100, bytes: 100 * 2 ** 20, ns: SECOND },
        ...{ onEmptyStream: 0, onEmptyStreamNs: 0, events: noEvents },
        ...{ recorded: 0, recordedBytes: 0, recordedNs: 0, besideKernelsNs: 0, byStack: new Map() },
      },
    ],
  },
  'slow-sampler': {
    workers: [busy],
    costs: [
      cell('input', 'main', 'running', 4 * SECOND),
      cell('input', 'worker', 'running', SECOND),
    ],
    trace: sampledThreads([{ pickingOwn: 75, opening: 25 }, 0], [{ item: 30 }, 1]),
  },
  unpickle: {
    workers: [{ ...busy, threads: [1, 2] }],
    costs: [
      cell('input', 'main', 'running', 4 * SECOND),
      cell('input', 'worker', 'sending', 2 * SECOND),
    ],
    trace: sampledThreads(
      [{ unpickling: 60, receiving: 5, opening: 10 }, 0],
      [{ collate: 30 }, 1],
      [{ pickling: 40 }, 2],
    ),
  },
  'slow-getitem': { ...sampledWork, trace: sampled({ item: 40, defaultCollate: 5 }) },
  'gpu-augment': { ...sampledWork, trace: sampled({ transforms: 30, item: 10 }) },
  pretokenize: { ...sampledWork, trace: sampled({ tokenizing: 30, item: 10 }) },
  'vector-collate': { ...sampledWork, trace: sampled({ collate: 30, item: 10 }) },
  'direct-indexing': { ...sampledWork, trace: sampled({ defaultCollate: 20, picking: 15 }) },
  'disk-bound': {
    workers: [{ cycles: { disk: 6 * SECOND, running: 2 * SECOND } }],
    costs: [cell('input', 'worker', 'disk', 3 * SECOND)],
    trace: readsOf(40, 2 ** 20, true),
  },
  'io-limit': {
    workers: [{ cycles: { disk: 6 * SECOND, running: 2 * SECOND } }],
    costs: [cell('input', 'worker', 'disk', 3 * SECOND)],
    trace: heldBack(12, 11.9, 400 * MS),
  },
  'small-files': {
    workers: [{ cycles: { disk: 6 * SECOND, running: 2 * SECOND } }],
    costs: [cell('input', 'worker', 'disk', 3 * SECOND)],
    trace: readsOf(400, 16 * 1024, false),
  },
  'shared-lock': {
    workers: alike(2, { cycles: { running: 4 * SECOND, 'shared-lock': 4 * SECOND } }),
    costs: [cell('input', 'worker', 'shared-lock', 3 * SECOND)],
    trace: takingTurns(80),
  },
  'slow-server': {
    workers: alike(2, { cycles: { sleeping: 6 * SECOND, running: 2 * SECOND } }),
    costs: [cell('input', 'worker', 'sleeping', 3 * SECOND)],
    trace: asking(400),
  },
  'head-of-line': {
    workers: [
      {},
      ...alike(2, {
        idle: {
          startsNs: Float64Array.of(SECOND, 5 * SECOND),
          endsNs: Float64Array.of(2 * SECOND, 7 * SECOND),
        },
      }),
    ],
    costs: [
      cell('input', 'worker', 'running', 3 * SECOND, {
        spans: [
          [5 * SECOND, 7 * SECOND],
          [1.2 * SECOND, 2.2 * SECOND],
        ],
        count: 2,
      }),
    ],
  },
  spawn: {
    workers: [{}],
    trace: {
      processes: [
        { pid: 100, role: 'main' },
        { pid: 101, startNs: SECOND },
      ],
      threads: [
        { tid: 100, process: 0 },
        { tid: 101, process: 1 },
      ],
      names: [['CUDA', 'cudaMalloc']],
      rows: {
        cuda_call: [
          { startNs: 0, thread: 0, returnCode: 0 },
          { startNs: 2 * SECOND, thread: 1, returnCode: 3 },
        ],
      },
    },
  },
  'cold-start': {
    trace: {
      names: [['CUDA', 'cudaLaunchKernel']],
      rows: {
        process_event: [{ startNs: 0, thread: 0, kind: exec }],
        cuda_call: Array.from({ length: 40 }, (_, at) => ({
          startNs: at * SECOND * 0.2,
          durationNs: at === 0 ? SECOND : 0.01 * MS,
          thread: 0,
        })),
      },
    },
  },
};

/** Reads by worker 0: one after the other on the disk, or far apart. */
function readsOf(count: number, bytes: number, inOrder: boolean): NonNullable<FactsPlan['trace']> {
  const row = (at: number) => ({
    startNs: at * 20 * MS,
    durationNs: 5 * MS,
    thread: 1,
    op: 0,
    bytes,
    sector: inOrder ? (at * bytes) / 512 : ((at * 7919) % 1000) * 100_000,
  });
  return {
    names: [['IO', 'read']],
    rows: { block_io: Array.from({ length: count }, (_, at) => row(at)) },
  };
}

/** A worker that waits `waitNs` for a disk which takes 5 ms for a read, under a limit in MiB/s of which it has `done`. */
export function heldBack(
  limit: number,
  done: number,
  waitNs: number,
): NonNullable<FactsPlan['trace']> {
  const each = (metric: number, value: number) =>
    Array.from({ length: 10 }, (_, at) => ({ startNs: at * SECOND, metric, value, gpu: -1 }));
  const times = Array.from({ length: 20 }, (_, at) => at * 500 * MS);
  return {
    names: [
      ['HOST', 'I/O limit, reads of vda (MiB/s)'],
      ['HOST', 'I/O under a limit, reads of vda (MiB/s)'],
      ['IO', 'read'],
      ['', 'vda'],
    ],
    rows: {
      sample: [...each(0, limit), ...each(1, done)],
      off_cpu: times.map((startNs) => ({
        ...{ startNs, durationNs: waitNs, thread: 1, state: 2, ioWait: 1, syscall: 0 },
        ...{ runQueueNs: 0, wakerContext: 3 },
      })),
      block_io: times.map((startNs) => ({
        ...{ startNs, durationNs: 5 * MS, thread: 1, op: 2, device: 3, bytes: 2 ** 22 },
      })),
    },
  };
}

/** Two workers that hold one lock in turn, 100 ms each. */
function takingTurns(turns: number): NonNullable<FactsPlan['trace']> {
  const futex = { syscall: 202, syscallArg0: 4096, syscallArg1: 0x109, state: 1, runQueueNs: 0 };
  return {
    names: [['', 'shared memory /dev/shm/sem.turns']],
    machine: { cpuModel: 'Intel Xeon' },
    rows: {
      off_cpu: Array.from({ length: turns }, (_, at) => ({
        ...futex,
        startNs: at * 100 * MS,
        durationNs: 100 * MS,
        thread: 1 + (at % 2),
        waker: 2 - (at % 2),
        wakerContext: codeOf(wakeContexts, 'task'),
        file: 0,
      })),
    },
  };
}

/** Two workers that ask a server again and again: it takes 20 ms, and each tenth time 40 ms. */
function asking(times: number): NonNullable<FactsPlan['trace']> {
  return {
    names: [['', 'socket to 10.0.0.2:6379']],
    machine: { cpuModel: 'Intel Xeon' },
    rows: {
      off_cpu: Array.from({ length: times }, (_, at) => ({
        ...{ syscall: 45, state: 1, runQueueNs: 0, file: 0, thread: 1 + (at % 2) },
        ...{ startNs: at * 22 * MS, durationNs: (at % 10 === 0 ? 40 : 20) * MS },
        wakerContext: codeOf(wakeContexts, 'softirq'),
      })),
    },
  };
}

/** 4 workers, each 50 batches of 8 samples that sleep 50 ms each, collated in 1 ms. */
export const sleepingDataset: FactsPlan = {
  workers: Array.from({ length: 4 }, () => ({
    states: { sleepingNs: 9.5 * SECOND, runningNs: 0.1 * SECOND },
    cycles: { sleeping: 9.5 * SECOND, running: 0.1 * SECOND },
    batches: 24,
  })),
  costs: [
    cell('input', 'worker', 'sleeping', 9 * SECOND),
    cell('input', 'worker', 'running', 0.2 * SECOND),
  ],
  trace: {},
};
