import { codeOf, directions, gpuWorkKinds, memoryKinds } from '../../shared/model/codes.ts';
import type { Trace } from '../../shared/model/trace.ts';
import { fillHostMemory } from '../../trace/build/fill-host-memory.ts';
import { withRoles } from '../roles/roles.ts';
import { buildTrace, type Row, type TracePlan } from './build-trace.ts';

/**
 * A simulated training loop and its GPUs, as a recorder inside the job sees them: every call, and what each
 * GPU ran for it. Streams run their work in order, each beside the others. Times in ns, all exact.
 */

export const US = 1e3;
export const MS = 1e6;
const MIB = 2 ** 20;
/** Bytes a ns. */
const PINNED_RATE = 20;
const PAGEABLE_RATE = 5;

const names = [
  ['CUDA', 'cudaMemcpyAsync'],
  ['CUDA', 'cudaStreamSynchronize'],
  ['CUDA', 'cudaLaunchKernel'],
  ['CUDA', 'cudaGraphLaunch'],
  ['CUDA', 'Memcpy HtoD'],
  ['CUDA', 'Memcpy DtoH'],
  ['CUDA', 'gemm'],
  ['CUDA', 'CUDA graph'],
  ['ANNOTATION', 'ProfilerStep#1'],
  ['ANNOTATION', 'enumerate(DataLoader)#_MultiProcessingDataLoaderIter.__next__'],
  ['', 'torch'],
  ['CUDA', 'cudaEventSynchronize'],
  ['CUDA', 'cudaDeviceSynchronize'],
  ['CUDA', 'ncclDevKernel_AllReduce_Sum_f32_RING_LL(ncclDevKernelArgsStorage<4096ul>)'],
] as const;
const [COPY, SYNC, LAUNCH, GRAPH_LAUNCH, H2D_WORK, D2H_WORK, KERNEL, GRAPH, STEP, NEXT, TORCH] =
  names.keys();
const [EVENT_SYNC, DEVICE_SYNC, ALL_REDUCE] = [TORCH + 1, TORCH + 2, TORCH + 3];
const STREAMS_PER_GPU = 16;
const H2D = codeOf(directions, 'H2D');
const D2H = codeOf(directions, 'D2H');

interface CopyPlan {
  readonly mib?: number;
  readonly pinned?: boolean;
  readonly stream?: number;
}

const gpuOf = (stream: number) => Math.floor(stream / STREAMS_PER_GPU);

/** One process; streams 0 to 15 are of GPU 0, the next of GPU 1: several GPUs have streams of their own. */
export class GpuJob {
  nowNs = 0;
  readonly #process: number;
  readonly #calls: Row<'cuda_call'>[] = [];
  readonly #work: Row<'gpu_work'>[] = [];
  readonly #ranges: Row<'range'>[] = [];
  readonly #freeNs = new Map<number, number>();
  #stepNs = 0;
  /** Its launch. */
  #allReduce = -1;

  constructor(process = 0) {
    this.#process = process;
  }

  host(ns: number): void {
    this.nowNs += ns;
  }

  /** Waits for a batch, within the loader's range. */
  input(ns: number): void {
    this.#range(NEXT, this.nowNs, ns);
    this.nowNs += ns;
  }

  /** From the last step's end up to now. */
  step(): void {
    this.#range(STEP, this.#stepNs, this.nowNs - this.#stepNs);
    this.#stepNs = this.nowNs;
  }

  /** A pageable copy waits for its stream, and is moved by the thread itself; a pinned one is put in the queue. */
  copy({ mib = 32, pinned = false, stream = 0 }: CopyPlan = {}): void {
    const bytes = mib * MIB;
    const startNs = this.nowNs;
    const ns = Math.round(bytes / (pinned ? PINNED_RATE : PAGEABLE_RATE));
    const beganNs = Math.max(startNs + 5 * US, this.#free(stream));
    this.nowNs = pinned ? startNs + 10 * US : beganNs + ns;
    const host = codeOf(memoryKinds, pinned ? 'pinned' : 'pageable');
    const facts = { bytes, direction: H2D };
    const call = this.#call(COPY, startNs, { stream, ...facts });
    const memory = { sourceMemory: host, destinationMemory: codeOf(memoryKinds, 'device') };
    this.#ran(H2D_WORK, 'copy', stream, beganNs, ns, { call, ...facts, ...memory });
  }

  launch(ns: number, stream = 0, callNs = 5 * US): void {
    const call = this.#call(LAUNCH, this.nowNs, { stream }, callNs);
    this.#ran(KERNEL, 'kernel', stream, this.nowNs, ns, { call });
  }

  /** Launches the kernel of a collective, behind what its stream has; answers when it can begin. */
  enterAllReduce(stream: number): number {
    this.#allReduce = this.#call(LAUNCH, this.nowNs, { stream }, 5 * US);
    return Math.max(this.nowNs, this.#free(stream));
  }

  /** The kernel runs until all ranks are there, and the exchange is done. */
  leaveAllReduce(stream: number, beganNs: number, endNs: number): void {
    const call = this.#allReduce;
    this.#ran(ALL_REDUCE, 'kernel', stream, beganNs, endNs - beganNs, { call });
  }

  graph(ns: number, stream = 0): void {
    const call = this.#call(GRAPH_LAUNCH, this.nowNs, { stream }, 20 * US);
    this.#ran(GRAPH, 'graph', stream, this.nowNs, ns, { call, graph: 3 });
  }

  /** Its thread gets a CPU only `lateNs` after the GPU is done. */
  sync(stream = 0, lateNs = 0): void {
    const startNs = this.nowNs;
    this.nowNs = Math.max(startNs + 2 * US, this.#free(stream) + 3 * US) + lateNs;
    this.#call(SYNC, startNs, { stream, offCpuNs: lateNs, runQueueNs: lateNs });
  }

  /** Waits for an event behind all work of a stream; a call that names no stream. */
  eventSync(stream = 0): void {
    this.#waitFor(EVENT_SYNC, this.#free(stream));
  }

  /** Waits for all streams of a GPU; a call that names neither. */
  deviceSync(gpu = 0): void {
    const own = [...this.#freeNs].filter(([stream]) => gpuOf(stream) === gpu);
    this.#waitFor(DEVICE_SYNC, Math.max(0, ...own.map(([, freeNs]) => freeNs)));
  }

  #waitFor(op: number, doneNs: number): void {
    const startNs = this.nowNs;
    this.nowNs = Math.max(startNs + 2 * US, doneNs + 3 * US);
    this.#call(op, startNs, { stream: -1, offCpuNs: 0, runQueueNs: 0 });
  }

  /** Work of one stream begins when that of another is done, as `wait_stream` has it. */
  waitStream(stream: number, forStream: number): void {
    this.#freeNs.set(stream, Math.max(this.#free(stream), this.#free(forStream)));
  }

  /** Reads one number: a copy back, and a wait for it. */
  item(stream = 0): void {
    const startNs = this.nowNs;
    const beganNs = Math.max(startNs + 3 * US, this.#free(stream));
    this.nowNs = beganNs + 2 * US + 3 * US;
    const call = this.#call(COPY, startNs, { stream, bytes: 4, direction: D2H });
    const memory = { sourceMemory: codeOf(memoryKinds, 'device'), destinationMemory: 4 };
    const facts = { call, bytes: 4, direction: D2H, ...memory };
    this.#ran(D2H_WORK, 'copy', stream, beganNs, 2 * US, facts);
    this.sync(stream);
  }

  rows() {
    return { calls: this.#calls, work: this.#work, ranges: this.#ranges };
  }

  #free(stream: number): number {
    return this.#freeNs.get(stream) ?? 0;
  }

  #range(op: number, startNs: number, durationNs: number): void {
    const of = { thread: this.#process, category: TORCH };
    this.#ranges.push({ op, startNs, durationNs, ...of });
  }

  /** Puts down a call up to now, or of `ns`; answers its number among the calls of this job. */
  #call(op: number, startNs: number, more: Row<'cuda_call'>, ns = this.nowNs - startNs): number {
    this.nowNs = startNs + ns;
    // Copies and waits are measured, launches are not: there is no contention, and nobody is off the CPU.
    const sum = op === COPY || op === SYNC ? 0 : -1;
    const sums = { offCpuNs: sum, runQueueNs: sum };
    const known = { thread: this.#process, layer: 1, returnCode: 0, parent: -1, ...sums };
    return this.#calls.push({ op, startNs, durationNs: ns, ...known, ...more }) - 1;
  }

  #ran(
    op: number,
    kind: (typeof gpuWorkKinds)[number],
    stream: number,
    fromNs: number,
    durationNs: number,
    more: Row<'gpu_work'>,
  ): void {
    const startNs = Math.max(fromNs, this.#free(stream));
    this.#freeNs.set(stream, startNs + durationNs);
    const place = { stream, gpu: gpuOf(stream), process: this.#process };
    this.#work.push({
      op,
      kind: codeOf(gpuWorkKinds, kind),
      startNs,
      durationNs,
      ...place,
      ...more,
    });
  }
}

/** A collective of all jobs, each on the first stream of its GPU: the last to come lets all go on. */
export function allReduce(jobs: readonly GpuJob[], ns: number): void {
  const streams = jobs.map((_, at) => at * STREAMS_PER_GPU);
  const begansNs = jobs.map((job, at) => job.enterAllReduce(streams[at]));
  const endNs = Math.max(...begansNs) + ns;
  jobs.forEach((job, at) => {
    job.leaveAllReduce(streams[at], begansNs[at], endNs + at * US);
  });
}

export interface GpuTracePlan extends Pick<TracePlan, 'provenance'> {
  readonly gpus?: number;
  readonly gaps?: readonly Row<'gap'>[];
  /** Which records of GPU work there are; all unless said. */
  readonly keeps?: (work: Row<'gpu_work'>) => boolean;
}

/** What was recorded of these jobs, each a rank of its own. */
export function gpuTrace(jobs: readonly GpuJob[], plan: GpuTracePlan = {}): Trace {
  const { gpus = 1, gaps = [], keeps = () => true, provenance } = plan;
  const parts = jobs.map((job) => job.rows());
  const calls = sorted(parts.flatMap((part) => part.calls));
  const rowOf = new Map(calls.map((call, row) => [call, row]));
  const work = parts.flatMap((part) =>
    part.work.filter(keeps).map((row) => ({
      ...row,
      call: rowOf.get(part.calls[row.call ?? -1] ?? {}) ?? -1,
    })),
  );
  const endNs = Math.max(...jobs.map(({ nowNs }) => nowNs));
  const trace = buildTrace({
    names,
    lengthNs: endNs,
    machine: { gpus: Array.from({ length: gpus }, () => ({ model: 'a GPU' })) },
    processes: jobs.map((_, at) => ({
      ...{ pid: 100 + at, name: 'python3', startNs: 0, role: 'main' as const },
      ...(jobs.length > 1 && { rank: at, worldSize: jobs.length }),
    })),
    threads: jobs.map((_, at) => ({ tid: 100 + at, process: at, name: 'python3' })),
    rows: {
      cuda_call: calls,
      gpu_work: sorted(work),
      range: sorted(parts.flatMap((part) => part.ranges)),
      ...(gaps.length > 0 && { gap: gaps }),
    },
    provenance: { gap: { kind: 'exact', note: '' }, ...provenance },
  });
  const streams = Array.from({ length: STREAMS_PER_GPU * gpus }, (_, at) => ({
    ...{ name: `stream ${at}`, context: -1 },
  }));
  return withRoles(fillHostMemory({ ...trace, streams }));
}

function sorted<R extends { startNs?: number }>(rows: readonly R[]): R[] {
  return rows.toSorted((a, b) => (a.startNs ?? 0) - (b.startNs ?? 0));
}
