/**
 * Ingero's numbering of sources and operations, as of 0.17 (pkg/events/types.go). A file's own
 * `sources` and `ops` tables lack source 8, operations 1:9–12 and 3:20–21, so this list stands
 * behind them. https://github.com/ingero-io/ingero
 */

export const SOURCE = {
  runtime: 1,
  host: 3,
  driver: 4,
  io: 5,
  tcp: 6,
  net: 7,
  graph: 8,
} as const;

export const HOST_OP = {
  schedSwitch: 1,
  wakeup: 2,
  pageAlloc: 3,
  oomKill: 4,
  exec: 5,
  exit: 6,
  fork: 7,
  podRestart: 10,
  podEviction: 11,
  podOomKill: 12,
  pageAllocSummary: 20,
  switchSummary: 21,
} as const;

export const RUNTIME_OP = {
  malloc: 1,
  free: 2,
  launch: 3,
  memcpy: 4,
  streamSync: 5,
  memcpyAsync: 7,
  mallocManaged: 8,
  memcpy2D: 9,
  memcpy2DAsync: 10,
  memcpyPeer: 11,
  memcpyPeerAsync: 12,
} as const;

const DRIVER_OP = { memcpy: 2, memcpyAsync: 3, memAlloc: 5, memAllocManaged: 6 } as const;

export const sourceNames: ReadonlyMap<number, string> = new Map([
  [1, 'CUDA'],
  [2, 'NVIDIA'],
  [3, 'HOST'],
  [4, 'DRIVER'],
  [5, 'IO'],
  [6, 'TCP'],
  [7, 'NET'],
  [8, 'CUDA_GRAPH'],
  [9, 'NCCL'],
]);

const namesBySource: Readonly<Record<number, Readonly<Record<number, string>>>> = {
  1: {
    1: 'cudaMalloc',
    2: 'cudaFree',
    3: 'cudaLaunchKernel',
    4: 'cudaMemcpy',
    5: 'cudaStreamSync',
    6: 'cudaDeviceSync',
    7: 'cudaMemcpyAsync',
    8: 'cudaMallocManaged',
    9: 'cudaMemcpy2D',
    10: 'cudaMemcpy2DAsync',
    11: 'cudaMemcpyPeer',
    12: 'cudaMemcpyPeerAsync',
  },
  3: {
    1: 'sched_switch',
    2: 'sched_wakeup',
    3: 'mm_page_alloc',
    4: 'oom_kill',
    5: 'process_exec',
    6: 'process_exit',
    7: 'process_fork',
    10: 'pod_restart',
    11: 'pod_eviction',
    12: 'pod_oom_kill',
    20: 'mm_page_alloc_summary',
    21: 'sched_switch_summary',
  },
  4: {
    1: 'cuLaunchKernel',
    2: 'cuMemcpy',
    3: 'cuMemcpyAsync',
    4: 'cuCtxSynchronize',
    5: 'cuMemAlloc',
    6: 'cuMemAllocManaged',
  },
  5: { 1: 'block_read', 2: 'block_write', 3: 'block_discard' },
  6: { 1: 'tcp_retransmit' },
  7: { 1: 'net_send', 2: 'net_recv' },
  8: { 1: 'graphBeginCapture', 2: 'graphEndCapture', 3: 'graphInstantiate', 4: 'graphLaunch' },
};

/** Source and operation as one number: both are bytes in Ingero's wire format, operations get 16 bits. */
export function opKey(source: number, op: number): number {
  return source * 65536 + op;
}

export const knownOpNames: ReadonlyMap<number, string> = new Map(
  Object.entries(namesBySource).flatMap(([source, names]) =>
    Object.entries(names).map(([op, name]) => [opKey(Number(source), Number(op)), name] as const),
  ),
);

/** Whether `timestamp` is the end: probes of the host, block I/O and sockets stamp on completion. */
export function isStampedAtEnd(source: number): boolean {
  return source === SOURCE.host || source === SOURCE.io || source === SOURCE.net;
}

/** Whether the probe of an operation measures a duration; a stored 0 is no duration where not. */
export function hasDuration(source: number, op: number): boolean {
  if (source === SOURCE.host) return op === HOST_OP.schedSwitch;
  return source !== SOURCE.tcp;
}

const opsCountedInBytes = new Set([
  opKey(SOURCE.runtime, RUNTIME_OP.malloc),
  opKey(SOURCE.runtime, RUNTIME_OP.memcpy),
  opKey(SOURCE.runtime, RUNTIME_OP.memcpyAsync),
  opKey(SOURCE.runtime, RUNTIME_OP.mallocManaged),
  opKey(SOURCE.runtime, RUNTIME_OP.memcpyPeer),
  opKey(SOURCE.runtime, RUNTIME_OP.memcpyPeerAsync),
  opKey(SOURCE.driver, DRIVER_OP.memcpy),
  opKey(SOURCE.driver, DRIVER_OP.memcpyAsync),
  opKey(SOURCE.driver, DRIVER_OP.memAlloc),
  opKey(SOURCE.driver, DRIVER_OP.memAllocManaged),
  opKey(SOURCE.host, HOST_OP.pageAlloc),
]);

export const SECTOR_BYTES = 512;

/** What one unit of `arg0` is in bytes, 0 where `arg0` is no size. */
export function bytesPerArg0(source: number, op: number): number {
  if (source === SOURCE.io) return SECTOR_BYTES;
  return opsCountedInBytes.has(opKey(source, op)) ? 1 : 0;
}
