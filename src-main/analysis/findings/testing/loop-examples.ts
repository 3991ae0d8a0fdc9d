import { type DeviceTime, idleCauses, type Starvation } from '../../../shared/answers/steps.ts';
import { noEvents } from '../../../shared/model/event-ref.ts';
import type { CopyGroup } from '../../steps/h2d-groups.ts';
import type { Row, TracePlan } from '../../testing/build-trace.ts';
import { buildFacts, cell, type FactsPlan, MS, SECOND } from './build-facts.ts';
import { sampled, sampledThreads, type ThreadSamples } from './sampled.ts';

/** Facts on which the rules about CPUs, memory, copies and the loop’s own calls fire: the least each needs. */

const MAIN = { tid: 100, process: 0, name: 'python3', role: 'main' } as const;

export function copies(memory: CopyGroup['memory'], more: Partial<CopyGroup> = {}): CopyGroup {
  const figures = { calls: 100, bytes: 2.4e9, ns: 2 * SECOND, exact: true, events: noEvents };
  const empty = {
    onEmptyStream: 100,
    onEmptyStreamNs: 2 * SECOND,
    recorded: 0,
    recordedBytes: 0,
    recordedNs: 0,
    besideKernelsNs: 0,
    byStack: new Map<number, number>(),
  };
  return { memory, ...figures, ...empty, ...more };
}

/** When the copy of a batch begins in `copiesInTwoPlaces`. */
const COPY_OF_BATCH_NS = 100;

/**
 * Pageable copies of which `times` says how long those of the batch (0), those of `bring_layer` (1) and those without a stack (-1)
 * took; a step begins at `stepNs`.
 */
export function copiesInTwoPlaces(
  times: ReadonlyMap<number, number>,
  stepNs = COPY_OF_BATCH_NS,
): FactsPlan {
  const own = (symbol: string, line: number) =>
    ({ symbol, file: '/home/user/train.py', line, language: 'python' }) as const;
  const train = own('train', 9);
  const stacks = [
    [own('to_device', 20), own('next_batch', 30), train],
    [own('to_device', 20), own('bring_layer', 40), train],
  ];
  const call = { thread: 0, durationNs: 10, bytes: 2 ** 20, direction: 1 };
  const cuda_call = stacks.map((_, stack) => ({ ...call, startNs: (stack + 1) * 100, stack }));
  const trace = { stacks, rows: { cuda_call } };
  const built = buildFacts({ trace });
  const recorded = built.trace.tables.cuda_call.columns.stack ?? [];
  const byStack = new Map([...times].map(([at, ns]) => [recorded[at] ?? -1, ns]));
  const step = { index: 0, startNs: stepNs, endNs: stepNs + 50, split: built.split };
  return {
    trace,
    steps: { ...built.steps, basis: 'signature', steps: [step] },
    h2d: [copies('pageable', { byStack })],
  };
}

/** What the GPU's own records say of a window of 10 s: all that is idle was so while kernels were launched. */
export function recorded(computingNs: number, idleNs: number): Starvation {
  const split = Object.fromEntries(idleCauses.map((cause) => [cause, 0])) as DeviceTime['idleBy'];
  const time: DeviceTime = {
    ...{
      label: 'GPU',
      computingNs,
      kernels: 1_000_000,
      collectiveNs: 0,
      h2dNs: 0,
      idleNs,
      unknownNs: 0,
    },
    copyingNs: 10 * SECOND - computingNs - idleNs,
    idleBy: { ...split, launch: idleNs },
  };
  return {
    ...{
      basis: 'exact',
      note: '',
      idleNs,
      busyNs: 10 * SECOND - idleNs,
      unknownNs: 0,
      longest: [],
    },
    recorded: { all: time, devices: [time], unused: [] },
  };
}

/** `count` samples of a metric over 10 s, all of one value; its name is the trace’s `metric`th. */
function samples(metric: number, value: number, count = 10): Row<'sample'>[] {
  return Array.from({ length: count }, (_, at) => ({
    startNs: at * SECOND,
    metric,
    value,
    gpu: -1,
  }));
}

/** `perStep` calls in each of the 100 steps of 10 s. */
function calls(perStep: number, more: Row<'cuda_call'>): Row<'cuda_call'>[] {
  return Array.from({ length: perStep * 100 }, (_, at) => ({
    startNs: at * ((10 * SECOND) / (perStep * 100)),
    durationNs: 0.5 * MS,
    thread: 0,
    op: 0,
    layer: 1,
    parent: -1,
    ...more,
  }));
}

/** The main thread’s turns with another thread that computes in Python: 5 ms until it asks, then it gets it. */
function interpreterTurns(count: number): Row<'off_cpu'>[] {
  const wait = { thread: 0, state: 1, syscall: 202, syscallArg1: 0x189, runQueueNs: 0 };
  return Array.from({ length: count }, (_, turn) => [
    {
      ...wait,
      startNs: turn * 20 * MS,
      durationNs: 5.06 * MS,
      syscallArg0: 0x7f0000001028,
      waker: -1,
      wakerContext: 4,
    },
    {
      ...wait,
      startNs: turn * 20 * MS + 5.1 * MS,
      durationNs: 0.3 * MS,
      syscallArg0: 0x7f000000102c,
      waker: 1,
      wakerContext: 1,
    },
  ]).flat();
}

/**
 * Two sockets of two CPUs, the GPU at the first; the training thread runs on a CPU of the second, and pinned memory lies
 * as said.
 */
export function socketsTrace(pinnedNodes?: string, groupCpus = '0-3'): TracePlan {
  const cpus = [0, 1, 2, 3].map((id) => {
    const node = Math.floor(id / 2);
    return { id, number: id, package: node, numaNode: node };
  });
  const gpus = [{ model: 'NVIDIA H100', pciBusId: '0000:18:00.0', numaNode: 0 }];
  const off_cpu = Array.from({ length: 10 }, (_, at) => ({
    startNs: at * SECOND,
    durationNs: MS,
    thread: 0,
    state: 0,
    runQueueNs: 0,
    cpuIn: 3,
  }));
  const process = { pid: 100, role: 'main', groupCpus } as const;
  return {
    processes: [{ ...process, ...(pinnedNodes !== undefined && { pinnedNodes }) }],
    threads: [MAIN],
    machine: { gpus, cpus },
    rows: { off_cpu },
  };
}

/** Four threads of one process that each want half a CPU. */
function crowdedThreads(): Row<'off_cpu'>[] {
  return Array.from({ length: 101 }, (_, turn) =>
    [0, 1, 2, 3].map((thread) => ({
      startNs: turn * 100 * MS,
      durationNs: 50 * MS,
      thread,
      state: 0,
      runQueueNs: 50 * MS,
    })),
  ).flat();
}

/** A call of this name that allocates, twice in a step. */
export function allocations(name: string): NonNullable<FactsPlan['trace']> {
  return {
    names: [['CUDA', name]],
    rows: { cuda_call: calls(2, { durationNs: 5 * MS }) },
  };
}

/** These in the training process and a worker of three threads, the last of which was sampled so. */
export function crowdedTrace(samples: ThreadSamples[0]): NonNullable<FactsPlan['trace']> {
  const { stacks, rows } = sampledThreads([samples, 3]);
  return {
    stacks,
    processes: [
      { pid: 100, name: 'python3' },
      { pid: 101, name: 'python3' },
    ],
    threads: [MAIN, ...[1, 2, 3].map((at) => ({ tid: 100 + at, process: 1, name: 'python3' }))],
    rows: { ...rows, off_cpu: crowdedThreads() },
  };
}

/** A control group that may keep 400 MiB, half of it its processes’ own, and reads 100 MiB/s again. */
export function groupAtLimit(readAgain = 100, hits = 2000): NonNullable<FactsPlan['trace']> {
  const figures = [
    ['Control group memory limit (MiB)', 400],
    ['Control group memory limit hit (times/s)', hits],
    ['Control group memory read again (MiB/s)', readAgain],
    ['Control group memory without files (MiB)', 220],
  ] as const;
  return {
    names: [...figures.map(([name]) => ['HOST', name] as const), ['IO', 'read']],
    rows: {
      sample: figures.flatMap(([, value], metric) => samples(metric, value)),
      block_io: Array.from({ length: 100 }, (_, at) => ({
        ...{ startNs: at * 100 * MS, durationNs: MS, thread: 1, op: 4, bytes: 12 * 2 ** 20 },
      })),
    },
  };
}

/**
 * A training thread that waits 20 ms in each 100 ms for a page of its own memory, in a group with a limit of 400 MiB that is
 * given by `limit`, of version 1 or 2, and what else was sampled of it.
 */
export function swappingLoop(
  more: Readonly<Record<string, number>> = { 'memory swapped in (MiB/s)': 50, 'swap (MiB)': 300 },
  limit: 'memory limit (MiB)' | 'memory.high (MiB)' = 'memory limit (MiB)',
): FactsPlan {
  const figures = { [limit]: 400, 'memory limit hit (times/s)': 2000, ...more };
  const wait = { thread: 0, state: 2, ioWait: 1, syscall: -1, runQueueNs: 0, wakerContext: 3 };
  const room = { symbol: 'try_to_free_mem_cgroup_pages', language: 'native' } as const;
  const step = { symbol: 'step', file: '/train.py', line: 9, language: 'python' } as const;
  return {
    costs: [
      cell('other', 'main', 'disk', 2 * SECOND),
      cell('other', 'main', 'running', 4 * SECOND),
    ],
    hostTime: { startsNs: Float64Array.of(0), endsNs: Float64Array.of(10 * SECOND) },
    trace: {
      names: Object.keys(figures).map((name) => ['HOST', `Control group ${name}`] as const),
      stacks: [[room, step], [step]],
      rows: {
        sample: Object.values(figures).flatMap((value, metric) => samples(metric, value)),
        off_cpu: Array.from({ length: 100 }, (_, at) => ({
          ...{ ...wait, startNs: at * 100 * MS, durationNs: 20 * MS },
        })),
        cpu_sample: Array.from({ length: 100 }, (_, at) => ({
          ...{ startNs: (at * 100 + 50) * MS, thread: 0, stack: at % 4 === 0 ? 0 : 1 },
        })),
      },
    },
  };
}

/** Raw task states of a thread that is stopped by a signal, and by whoever traces it. */
export const [STOPPED, TRACED, FROZEN] = [0x104, 8, 0x8001];

/** The main thread is stopped for 60 of every 100 ms; cpulimit lets it go on. */
export function stoppedTrace(state: number): TracePlan {
  const stop = { durationNs: 60 * MS, thread: 0, state, runQueueNs: 0, waker: 1, wakerContext: 1 };
  return {
    processes: [
      { pid: 100, name: 'python3' },
      { pid: 311, name: 'cpulimit' },
    ],
    threads: [MAIN, { tid: 311, process: 1, name: 'cpulimit' }],
    rows: {
      off_cpu: Array.from({ length: 100 }, (_, at) => ({ ...stop, startNs: at * 100 * MS })),
    },
  };
}

const workers = [{}, {}];

/** A process beside the workers, whose samples are in pickling for what `file` of multiprocessing does. */
export function ownProcessTrace(file: string): TracePlan {
  const folder = '/usr/lib/python3.11/multiprocessing';
  const frame = (symbol: string, name: string, line: number) =>
    ({ symbol, file: `${folder}/${name}`, line, language: 'python' }) as const;
  const roles = ['main', 'dataloader-worker', 'dataloader-worker', 'other'] as const;
  return {
    processes: roles.map((role, at) => ({ pid: 100 + at, name: 'python3', role })),
    threads: roles.map((role, at) => ({ tid: 100 + at, process: at, name: 'python3', role })),
    stacks: [
      [frame('ForkingPickler.dumps', 'reduction.py', 51), frame('Server.serve_client', file, 249)],
    ],
    rows: {
      cpu_sample: Array.from({ length: 40 }, (_, at) => ({
        ...{ startNs: at * 20 * MS, thread: 3, stack: 0 },
      })),
    },
  };
}

export const loopExamples: Readonly<Record<string, FactsPlan>> = {
  stopped: {
    trace: stoppedTrace(STOPPED),
    costs: [cell('other', 'main', 'stopped', 6 * SECOND)],
  },
  'cpu-quota': {
    cpus: { machine: 16, usable: 2, quota: 2, basis: '' },
    workers: [
      { states: { runningNs: 5 * SECOND, runnableNs: 5 * SECOND, throttledNs: 4 * SECOND } },
      {},
      {},
    ],
    main: { runningNs: 6 * SECOND, runnableNs: 4 * SECOND, throttledNs: 4 * SECOND },
    costs: [cell('input', 'worker', 'throttled', 3 * SECOND)],
  },
  'cpu-steal': {
    costs: [cell('compute', 'main', 'stolen', SECOND)],
    trace: {
      names: [['HOST', 'CPU stolen by the hypervisor (%)']],
      rows: { sample: samples(0, 12) },
    },
  },
  affinity: {
    cpus: { machine: 4, usable: 4, basis: '' },
    workers,
    costs: [cell('input', 'worker', 'runnable-own', 2 * SECOND)],
    trace: {
      processes: [0, 1, 2].map((at) => ({
        pid: 100 + at,
        name: 'python3',
        cpusAllowed: at === 0 ? '0-3' : '0',
      })),
      names: [1, 2, 3].map((cpu) => ['HOST', `CPU ${cpu} (%)`] as const),
      rows: { sample: [1, 2, 3].flatMap((cpu) => samples(cpu - 1, 5)) },
    },
  },
  'cpu-wait': {
    costs: [cell('h2d', 'main', 'runnable', 2 * SECOND)],
    trace: { rows: { cuda_call: calls(1, { durationNs: 50 * MS, runQueueNs: 20 * MS }) } },
  },
  'noisy-neighbour': {
    workers,
    costs: [cell('input', 'worker', 'runnable-other', 2 * SECOND)],
    neighbours: [
      {
        process: 3,
        relation: 'other',
        ns: 3 * SECOND,
        events: { shown: [{ table: 'on_cpu', row: 0 }], count: 1 },
      },
      { process: 4, relation: 'recorder', ns: 0.5 * SECOND, events: noEvents },
    ],
    trace: {
      processes: ['python3', 'python3', 'python3', 'xz', 'stalltrace-agent'].map((name, at) => ({
        pid: 100 + at,
        name,
      })),
      rows: { on_cpu: [{ startNs: 0, durationNs: 3 * SECOND, thread: 0, cpu: 1 }] },
    },
  },
  'memory-limit': {
    workers: [{ states: { majorFaults: 900 } }, {}],
    costs: [cell('input', 'worker', 'disk', 3 * SECOND), cell('input', 'worker', 'fault', SECOND)],
    trace: groupAtLimit(),
  },
  'memory-pressure': {
    workers: [{ states: { majorFaults: 900 } }, {}],
    costs: [cell('input', 'worker', 'fault', 2 * SECOND)],
    trace: { names: [['HOST', 'Swapped in (pages/s)']], rows: { sample: samples(0, 5000) } },
  },
  shm: {
    workers,
    trace: {
      names: [['HOST', 'exit, killed by signal 7']],
      rows: { process_event: [{ startNs: SECOND, thread: 1, op: 0, kind: 3, subject: -1 }] },
    },
  },
  'own-process': {
    workers,
    costs: [cell('input', 'worker', 'runnable-own', 4 * SECOND)],
    neighbours: [
      { process: 3, relation: 'own-rank', ns: 3 * SECOND, events: noEvents },
      { process: 1, relation: 'own-rank', ns: SECOND, events: noEvents },
    ],
    hotLines: () => [
      {
        function: 'ForkingPickler.dumps',
        file: '/usr/lib/python3.11/multiprocessing/reduction.py',
        line: 51,
        language: 'python' as const,
        samples: 40,
        share: 0.9,
      },
    ],
    trace: ownProcessTrace('managers.py'),
  },
  'thread-oversubscription': {
    cpus: { machine: 2, usable: 2, basis: '' },
    workers: [{ threads: [1, 2, 3] }],
    costs: [cell('input', 'worker', 'runnable-own', 3 * SECOND)],
    trace: crowdedTrace({}),
  },
  gil: {
    costs: [cell('other', 'main', 'lock', 2.8 * SECOND)],
    trace: {
      processes: [{ pid: 100, name: 'python3' }],
      threads: [MAIN, { tid: 107, process: 0, name: 'decoder' }],
      rows: { off_cpu: interpreterTurns(500) },
      machine: { cpuModel: 'Intel Xeon' },
    },
  },
  'late-rank': {
    costs: [cell('collective', 'main', 'last-rank', 3 * SECOND)],
    collectives: lateBySleep(),
  },
  collective: {
    costs: [cell('collective', 'main', 'device', 3 * SECOND)],
    siblings: [
      sibling('rank 1 · pid 200', {
        input: 4 * SECOND,
        compute: 5.8 * SECOND,
        collective: 0.2 * SECOND,
      }),
    ],
  },
  'input-straggler': {
    costs: [cell('input', 'main', 'unknown', 4 * SECOND)],
    siblings: [
      sibling('rank 1 · pid 200', {
        input: 0.1 * SECOND,
        compute: 6 * SECOND,
        collective: 3.9 * SECOND,
      }),
    ],
  },
  allocator: {
    costs: [cell('compute', 'main', 'allocation', SECOND)],
    trace: allocations('cudaMalloc'),
  },
  'pin-memory': {
    workers,
    h2d: [copies('pageable')],
    costs: [cell('h2d', 'main', 'staging', 2 * SECOND)],
  },
  'batch-transfers': {
    costs: [cell('h2d', 'main', 'transfer', SECOND)],
    trace: {
      names: [['CUDA', 'cudaMemcpyAsync']],
      rows: { cuda_call: calls(20, { bytes: 8, direction: 1 }) },
    },
  },
  'overlap-h2d': {
    workers,
    h2d: [copies('pinned')],
    costs: [cell('h2d', 'main', 'transfer', 2 * SECOND)],
    trace: {
      names: [
        ['CUDA', 'cudaMemcpyAsync'],
        ['CUDA', 'cudaLaunchKernel'],
      ],
      rows: {
        cuda_call: [
          ...calls(1, { bytes: 2.4e7, direction: 1, stream: 0 }),
          ...calls(1, { op: 1, stream: 0 }),
        ],
      },
    },
  },
  numa: {
    h2d: [copies('pinned')],
    costs: [cell('h2d', 'main', 'transfer', 2 * SECOND)],
    trace: socketsTrace('N0=1048576 N1=268435456'),
  },
  'launch-bound': {
    costs: [cell('other', 'main', 'launching', 6 * SECOND)],
    starvation: recorded(3 * SECOND, 6 * SECOND),
    trace: { names: [['CUDA', 'cudaLaunchKernel']], rows: { cuda_call: calls(400, {}) } },
  },
  'fewer-syncs': {
    trace: { names: [['CUDA', 'cudaStreamSynchronize']], rows: { cuda_call: calls(12, {}) } },
  },
  'host-work': {
    costs: [cell('other', 'main', 'running', 6 * SECOND)],
    hostTime: { startsNs: Float64Array.of(0), endsNs: Float64Array.of(6 * SECOND) },
    trace: sampled({ step: 60 }, 0),
  },
  'more-host-work': {
    costs: [cell('other', 'main', 'running', 6 * SECOND)],
    hostTime: { startsNs: Float64Array.of(0), endsNs: Float64Array.of(6 * SECOND) },
    trace: sampled({ step: 40, merging: 20 }, 0),
  },
  'not-input': {},
};

/** Rank 1 of two comes last nearly always, since it sleeps. */
function lateBySleep(): NonNullable<FactsPlan['collectives']> {
  const text = 'sleeping on purpose in pause (train.py:98)';
  const why = () => ({ kind: 'sleep' as const, text, ownNs: 31 * MS, othersNs: 0 });
  const rank = { label: 'rank 1 · pid 200', isSelf: false, last: 97, why };
  const late = { ...rank, costNs: 3 * SECOND, allCostNs: 3 * SECOND };
  const self = { label: 'rank 0 · pid 100', isSelf: true, last: 3, costNs: 0, allCostNs: 0, why };
  return { known: 100, most: 90, ranks: [self, late], leader: { rank: late, times: 90 } };
}

function sibling(
  label: string,
  split: Readonly<Record<'input' | 'compute' | 'collective', number>>,
): NonNullable<FactsPlan['siblings']>[number] {
  return {
    label,
    split: { other: 0, h2d: 0, idle: 0, ...split },
    ns: 10 * SECOND,
    steps: 100,
    unprovenNs: 0,
  };
}
