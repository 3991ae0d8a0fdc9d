import { totalmem } from 'node:os';

/** A trace takes about as many times its file's size in memory. */
export const MEMORY_PER_BYTE = 2;

/** How much the open traces of one host may take together. */
export interface OpenLimits {
  /** Processes that have a trace, whoever looks at it. */
  readonly processes: number;
  /** Of these, processes of traces at which nobody looks just now. */
  readonly unwatched: number;
  /** Memory, past which those go first at which nobody looks. */
  readonly memoryBytes: number;
  /** Files that are read at the same time. */
  readonly opening: number;
  /** Traces that are remembered while their process is put away. */
  readonly putAway: number;
}

export function defaultLimits(): OpenLimits {
  // 0 where the process is in no group that limits it, and in some groups more than there is.
  const limited = process.constrainedMemory() || Number.POSITIVE_INFINITY;
  const memoryBytes = Math.max(2 ** 30, Math.min(totalmem(), limited) / 4);
  return { processes: 24, unwatched: 4, memoryBytes, opening: 4, putAway: 100 };
}

interface Candidate {
  /** Whether it has a process, nobody waits for it, and nobody looks at it. */
  readonly isFree: boolean;
  /** Grows with every use. */
  readonly usedAt: number;
  readonly memoryBytes: number;
}

/** Those whose processes go, at least `excess` where there are, the one that was used longest ago first. */
export function tooMany<T extends Candidate>(
  traces: readonly T[],
  limits: OpenLimits,
  excess = 0,
): T[] {
  const free = traces.filter(({ isFree }) => isFree).sort((a, b) => a.usedAt - b.usedAt);
  let unwatched = free.length;
  let memoryBytes = traces.reduce((sum, trace) => sum + trace.memoryBytes, 0);
  const going: T[] = [];
  for (const trace of free) {
    const isEnough = unwatched <= limits.unwatched && memoryBytes <= limits.memoryBytes;
    if (isEnough && going.length >= excess) break;
    going.push(trace);
    unwatched--;
    memoryBytes -= trace.memoryBytes;
  }
  return going;
}
