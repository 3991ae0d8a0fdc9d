import type { TimeSpan } from '../../../shared/answers/summary.ts';
import { NONE } from '../../../shared/model/schema.ts';
import type { Trace } from '../../../shared/model/trace.ts';
import { devicesOf } from '../../gpu/devices.ts';
import { NO_ROW, stateCode, visitStates } from '../../threads/visit-states.ts';
import type { RankFacts } from './facts.ts';

/** On which NUMA node threads ran and memory lies. Nodes of one socket count as one: no copy leaves it between them. */

/** The nodes of a host that have CPUs, and the socket of each. */
interface NumaPlaces {
  readonly nodeOfCpu: ReadonlyMap<number, number>;
  readonly socketOf: ReadonlyMap<number, number>;
}

/** Undefined where all CPUs of the host are on one socket, or nothing is known of that. */
export function numaPlaces({ cpus }: Trace, host: number): NumaPlaces | undefined {
  const nodeOfCpu = new Map<number, number>();
  const socketOf = new Map<number, number>();
  for (const { id, host: of = 0, numaNode, package: socket } of cpus) {
    if (of !== host || numaNode === undefined || socket === undefined) continue;
    nodeOfCpu.set(id, numaNode);
    socketOf.set(numaNode, socket);
  }
  return new Set(socketOf.values()).size > 1 ? { nodeOfCpu, socketOf } : undefined;
}

/** The GPUs that `process` is known to have used, as indexes into gpus: by the GPU's own records, else by its contexts. */
function gpusUsedBy(trace: Trace, process: number): readonly number[] {
  const host = trace.processes[process]?.host ?? 0;
  const used = devicesOf(trace)
    .usedBy([process], host)
    .filter((gpu) => trace.gpus[gpu] !== undefined);
  if (used.length > 0) return used;
  const own = trace.contexts.filter((context) => context.process === process && context.gpu >= 0);
  if (own.length > 0) return [...new Set(own.map(({ gpu }) => gpu))];
  // Of all GPUs of the machine it is one: where these are on one socket, it does not matter which.
  return [...trace.gpus.keys()].filter((gpu) => (trace.gpus[gpu].host ?? 0) === host);
}

/** Where a rank's GPU is. */
export interface GpuPlace extends NumaPlaces {
  readonly gpu: number;
  readonly node: number;
  /** Whether a node is on another socket than the GPU’s. */
  readonly isFar: (node: number) => boolean;
}

/** Undefined where that is not known, or the rank's GPUs are on several sockets, or all is on one. */
export function gpuPlace({ trace, rank }: RankFacts): GpuPlace | undefined {
  const places = numaPlaces(trace, trace.processes[rank.process]?.host ?? 0);
  const [gpu, ...others] = gpusUsedBy(trace, rank.process);
  const node = trace.gpus[gpu ?? NONE]?.numaNode;
  if (places === undefined || node === undefined || gpu === undefined) return undefined;
  const socketOf = (of: number | undefined) => places.socketOf.get(of ?? NONE);
  const own = socketOf(node);
  if (own === undefined) return undefined;
  if (others.some((other) => socketOf(trace.gpus[other].numaNode) !== own)) return undefined;
  const isFar = (of: number) => socketOf(of) !== undefined && socketOf(of) !== own;
  return { ...places, gpu, node, isFar };
}

/** ns or bytes by node. */
type ByNode = ReadonlyMap<number, number>;

/** How long `threads` ran on the CPUs of each node, ns, as far as all their switches are recorded. */
export function ranOnNodes(
  trace: Trace,
  { nodeOfCpu }: NumaPlaces,
  threads: readonly number[],
  [startNs, endNs]: TimeSpan,
): ByNode {
  const { cpuIn } = trace.tables.off_cpu.columns;
  const byNode = new Map<number, number>();
  if (cpuIn === undefined) return byNode;
  for (const thread of threads) {
    // A thread changes its CPU only while it is off it.
    let node: number | undefined;
    visitStates(trace, thread, startNs, endNs, (fromNs, toNs, state, row) => {
      if (row !== NO_ROW) node = nodeOfCpu.get(cpuIn[row]);
      else if (state !== stateCode.running) node = undefined;
      else if (node !== undefined) byNode.set(node, (byNode.get(node) ?? 0) + toNs - fromNs);
    });
  }
  return byNode;
}

/** The bytes of `ProcessInfo.pinnedNodes`. */
export function pinnedOnNodes(text: string | undefined): ByNode {
  const parts = (text ?? '').matchAll(/\bN(\d{1,4})=(\d{1,15})\b/g);
  return new Map([...parts].map(([, node, bytes]) => [Number(node), Number(bytes)]));
}

/** How much of it is on another socket than the GPU’s, and where there: `node 1`, `another socket (node 2 and others)`. */
export function farPart(
  byNode: ByNode,
  { isFar }: GpuPlace,
): { readonly all: number; readonly far: number; readonly where: string } {
  const sumOf = (entries: readonly (readonly [number, number])[]) =>
    entries.reduce((sum, [, amount]) => sum + amount, 0);
  const far = [...byNode]
    .filter(([node, amount]) => isFar(node) && amount > 0)
    .sort((a, b) => b[1] - a[1]);
  const most = `NUMA node ${far[0]?.[0] ?? NONE}`;
  const where = far.length > 1 ? `another socket (${most} and others)` : most;
  return { all: sumOf([...byNode]), far: sumOf(far), where };
}

/** The nodes of the GPU’s socket that have CPUs. */
export function nearNodes({ socketOf, isFar }: GpuPlace): readonly number[] {
  return [...socketOf.keys()].filter((node) => !isFar(node)).sort((a, b) => a - b);
}

/** The numbers of the CPUs of the GPU’s socket. */
export function nearCpus({ cpus }: Trace, { nodeOfCpu, isFar }: GpuPlace): readonly number[] {
  return cpus.flatMap(({ id, number }) => {
    const node = nodeOfCpu.get(id);
    return node === undefined || isFar(node) ? [] : [number];
  });
}
