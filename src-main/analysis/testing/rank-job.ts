import { codeOf, directions } from '../../shared/model/codes.ts';
import type { Frame } from '../../shared/model/stacks.ts';
import type { Trace } from '../../shared/model/trace.ts';
import { withRoles } from '../roles/roles.ts';
import { buildTrace, type Row } from './build-trace.ts';
import { asleep, byTimer, calls, futexOps, wokenBy } from './loader-trace.ts';

/** Ranks that reduce their gradients on the CPU after each step, as a recorder of the kernel sees them. Times in ns. */

const US = 1e3;
const MS = 1e6;
const names = [
  ['CUDA', 'cudaMemcpyAsync'],
  ['CUDA', 'cudaLaunchKernel'],
  ['CUDA', 'cudaStreamSynchronize'],
] as const;
const [COPY, LAUNCH, SYNC] = names.keys();

const python = (symbol: string, file: string): Frame => ({
  symbol,
  file,
  line: 7,
  language: 'python',
});
const main = python('train', '/job/train.py');
const stacks: readonly (readonly Frame[])[] = [
  [python('all_reduce', '/torch/distributed/distributed_c10d.py'), main],
  [python('_BaseDataLoaderIter.__next__', '/torch/utils/data/dataloader.py'), main],
  [python('pause', '/job/train.py'), main],
];
const [COLLECTIVE, LOADER, PAUSE] = stacks.keys();

/** What a rank does between its CUDA calls and the collective. */
export interface OwnTime {
  readonly sleepNs?: number;
  readonly inputNs?: number;
  /** Ready to run without a CPU. */
  readonly cpuNs?: number;
  readonly runNs?: number;
}

export interface RankJobPlan {
  readonly ranks: number;
  readonly steps: number;
  readonly own: (step: number, rank: number) => OwnTime;
  /** Whether the stay of a rank in a collective is recorded with its stack, which it is unless said. */
  readonly isSeen?: (step: number, rank: number) => boolean;
  /** Whether the wait itself is recorded where its stack is not. */
  readonly isWaitRecorded?: boolean;
}

export interface RankJob {
  readonly trace: Trace;
  /** By step, which rank came last. */
  readonly last: readonly number[];
  /** By step and rank, how long it waited for the last. */
  readonly waitedNs: readonly (readonly number[])[];
}

/** What the exchange takes once all have come. */
const EXCHANGE_NS = 200 * US;

export function rankJob(plan: RankJobPlan): RankJob {
  const { ranks, steps, own, isSeen = () => true, isWaitRecorded = true } = plan;
  const cudaCalls: Row<'cuda_call'>[] = [];
  const waits: Row<'off_cpu'>[] = [];
  const [last, waitedNs]: [number[], number[][]] = [[], []];
  const nowNs = Array.from({ length: ranks }, () => MS);
  const addWait = (rank: number, ns: number, more: Row<'off_cpu'>) => {
    waits.push(asleep(rank, nowNs[rank], nowNs[rank] + ns, { stack: -1, ...more }));
    nowNs[rank] += ns;
  };
  for (let step = 0; step < steps; step++) {
    for (let rank = 0; rank < ranks; rank++) {
      addCalls(cudaCalls, rank, nowNs);
      const { sleepNs = 0, inputNs = 0, cpuNs = 0, runNs = 0 } = own(step, rank);
      if (inputNs > 0) addWait(rank, inputNs, { syscall: calls.poll, stack: LOADER });
      nowNs[rank] += 5 * US;
      if (sleepNs > 0) addWait(rank, sleepNs, { syscall: calls.sleep, stack: PAUSE, ...byTimer });
      if (cpuNs > 0) addWait(rank, cpuNs, { state: 0, runQueueNs: cpuNs });
      nowNs[rank] += 10 * US + runNs;
    }
    const lastNs = Math.max(...nowNs);
    last.push(nowNs.indexOf(lastNs));
    waitedNs.push(nowNs.map((ns) => lastNs - ns));
    for (let rank = 0; rank < ranks; rank++) {
      const endNs = lastNs + EXCHANGE_NS + 20 * US * rank;
      const stay = {
        syscall: calls.futex,
        syscallArg1: futexOps.endless,
        ...wokenBy(ranks + rank),
      };
      if (isSeen(step, rank)) addWait(rank, endNs - nowNs[rank], { ...stay, stack: COLLECTIVE });
      else if (isWaitRecorded) addWait(rank, endNs - nowNs[rank], stay);
      nowNs[rank] = endNs + 30 * US;
    }
  }
  return { trace: traceOf(ranks, cudaCalls, waits, Math.max(...nowNs)), last, waitedNs };
}

function addCalls(rows: Row<'cuda_call'>[], thread: number, nowNs: number[]): void {
  const add = (op: number, durationNs: number, more: Row<'cuda_call'>) => {
    const of = { thread, layer: 1, parent: -1, stream: 0, bytes: -1, direction: -1 };
    rows.push({ ...of, op, startNs: nowNs[thread], durationNs, ...more });
    nowNs[thread] += durationNs + 5 * US;
  };
  add(COPY, 100 * US, { bytes: 2 ** 20, direction: codeOf(directions, 'H2D') });
  add(LAUNCH, 10 * US, {});
  add(SYNC, 500 * US, {});
}

/** Thread `ranks + rank` is that of the rank which ends its waits in collectives. */
function traceOf(
  ranks: number,
  cudaCalls: readonly Row<'cuda_call'>[],
  waits: readonly Row<'off_cpu'>[],
  lengthNs: number,
): Trace {
  const each = Array.from({ length: ranks }, (_, rank) => rank);
  const inOrder = <R extends { startNs?: number }>(rows: readonly R[]) =>
    rows.toSorted((a, b) => (a.startNs ?? 0) - (b.startNs ?? 0));
  const trace = buildTrace({
    names,
    stacks,
    lengthNs,
    machine: { cpuModel: 'Intel Xeon' },
    processes: each.map((rank) => ({
      ...{ pid: 100 + rank, name: 'python3', startNs: 0, role: 'main' as const, roleBasis: 'said' },
      ...{ rank, worldSize: ranks },
    })),
    threads: [
      ...each.map((rank) => ({
        tid: 100 + rank,
        process: rank,
        name: 'python3',
        role: 'main' as const,
      })),
      ...each.map((rank) => ({ tid: 200 + rank, process: rank, name: 'python3' })),
    ],
    rows: { cuda_call: inOrder(cudaCalls), off_cpu: inOrder(waits) },
  });
  return withRoles(trace);
}
