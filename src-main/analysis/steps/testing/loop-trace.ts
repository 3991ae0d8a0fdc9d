import type { Rank } from '../../../shared/answers/jobs.ts';
import { codeOf, directions, hostMemoryKinds, wakeContexts } from '../../../shared/model/codes.ts';
import type { Frame } from '../../../shared/model/stacks.ts';
import type { Trace } from '../../../shared/model/trace.ts';
import { buildTrace, type Row, type TracePlan } from '../../testing/build-trace.ts';

/** Traces of training loops, built call by call, for tests. Times in ns. */

export const MS = 1e6;

export const loopNames = [
  ['CUDA', 'cudaMemcpyAsync'],
  ['CUDA', 'cudaStreamSynchronize'],
  ['CUDA', 'cudaLaunchKernel'],
  ['CUDA', 'cudaDeviceSynchronize'],
  ['NVTX', 'ProfilerStep#1'],
  ['', 'torch'],
  ['ANNOTATION', 'enumerate(DataLoader)#_MultiProcessingDataLoaderIter.__next__'],
  ['CUDA', 'cudaHostAlloc'],
] as const;
export const COPY = 0;
export const SYNC = 1;
export const LAUNCH = 2;
export const DEVICE_SYNC = 3;
export const STEP_RANGE = 4;
export const LOADER_RANGE = 6;
export const ALLOCATE = 7;

export const MAIN = 0;
export const WORKER = 1;
export const AUTOGRAD = 2;
export const PIN = 3;

const python = (symbol: string, file: string, line = 1): Frame => ({
  symbol,
  file,
  line,
  language: 'python',
});
const train = python('train', '/home/u/train.py', 10);

export const LOADER_STACK = 0;
export const TRAIN_STACK = 1;
const COPY_STACK = 2;
export const VALIDATION_STACK = 3;
export const COLLECTIVE_STACK = 4;
const stacks: readonly (readonly Frame[])[] = [
  [python('_BaseDataLoaderIter.__next__', '/lib/torch/utils/data/dataloader.py'), train],
  [python('loss', '/home/u/train.py'), train],
  [python('step', '/home/u/train.py', 5), train],
  [python('validate', '/home/u/train.py', 50), train],
  [python('barrier', '/lib/torch/distributed/distributed_c10d.py'), train],
];

type Call = Row<'cuda_call'>;

export const H2D = { direction: codeOf(directions, 'H2D') };
export const D2H = { direction: codeOf(directions, 'D2H') };
export const PAGEABLE = { hostMemory: codeOf(hostMemoryKinds, 'pageable') };
const TASK = codeOf(wakeContexts, 'task');

/** One call; copies are to the device, of 1 MiB, all on stream 0. */
export function call(op: number, startNs: number, durationNs: number, more: Call = {}): Call {
  const copy = op === COPY ? { ...H2D, bytes: 2 ** 20, stack: COPY_STACK } : {};
  const stream = op === DEVICE_SYNC ? -1 : 0;
  return {
    op,
    startNs,
    durationNs,
    thread: MAIN,
    layer: 1,
    returnCode: 0,
    stream,
    ...copy,
    ...more,
  };
}

/** Copy, two launches, a wait: 5 ms of a step of `everyNs`, the rest of it outside CUDA calls. */
export function oneStep(startNs: number, copy: Call = {}): Call[] {
  return [
    call(COPY, startNs, 1 * MS, copy),
    call(LAUNCH, startNs + 1.1 * MS, 0.1 * MS),
    call(LAUNCH, startNs + 1.3 * MS, 0.1 * MS),
    call(SYNC, startNs + 1.5 * MS, 3.5 * MS),
  ];
}

/** `count` steps of 10 ms from `startNs`. */
export function steps(count: number, startNs = 0, everyNs = 10 * MS): Call[] {
  return Array.from({ length: count }, (_, step) => oneStep(startNs + step * everyNs)).flat();
}

/** A wait of the main thread that a worker ended. */
export function queueWait(startNs: number, durationNs: number, waker = WORKER): Row<'off_cpu'> {
  return { startNs, durationNs, thread: MAIN, state: 1, runQueueNs: 0, waker, wakerContext: TASK };
}

/** The training process, a worker, an autograd thread and a pin-memory thread; calls sorted. */
export function loopTrace(rows: NonNullable<TracePlan['rows']>, more: TracePlan = {}): Trace {
  const calls = [...(rows.cuda_call ?? [])].sort((a, b) => (a.startNs ?? 0) - (b.startNs ?? 0));
  return buildTrace({
    names: loopNames,
    stacks,
    processes: [
      { pid: 1, startNs: 0, role: 'main' },
      { pid: 2, parent: 0, role: 'dataloader-worker' },
    ],
    threads: [
      { tid: 1, process: 0 },
      { tid: 2, process: 1 },
      { tid: 3, process: 0 },
      { tid: 4, process: 0, role: 'pin-memory' },
    ],
    rows: { ...rows, cuda_call: calls },
    ...more,
  });
}

export function loopRank(more: Partial<Rank> = {}): Rank {
  return {
    process: 0,
    label: 'pid 1',
    mainThread: MAIN,
    cudaThreads: [MAIN, AUTOGRAD],
    pinThreads: [PIN],
    generations: [{ workers: [1], loader: 0 }],
    processes: [0, 1],
    ...more,
  };
}
