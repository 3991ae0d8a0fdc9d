import type { NamedFrame } from './flame.ts';
import type { Direction, HostMemoryKind } from './model/codes.ts';
import type { Role } from './model/trace.ts';

/** How an evidence figure is known; shown beside every figure. */
export type Basis = 'exact' | 'inferred' | 'aggregated' | 'unknown';

/**
 * One part of a call's wall time. Parts are disjoint and sum to the call's duration to the ns.
 * `off-cpu` is time off the CPU of which it is not recorded whether it was runnable or blocked.
 */
export interface AccountingPart {
  readonly kind: 'running' | 'runnable' | 'blocked' | 'off-cpu' | 'unexplained';
  readonly ns: number;
  /** Why the part is called so. */
  readonly reason: string;
}

export interface OffCpuSpan {
  /** Row of off_cpu. */
  readonly row: number;
  readonly startNs: number;
  readonly durationNs: number;
  /** ns of the span inside the call. */
  readonly overlapNs: number;
}

export interface CallRank {
  /** 1 = the slowest. */
  readonly rank: number;
  readonly of: number;
  readonly medianNs: number;
  readonly p95Ns: number;
  readonly maxNs: number;
  /** True where this file keeps only some of the calls: the rank is among those. */
  readonly partial: boolean;
  /** What it was compared with: `cudaMemcpyAsync · H2D · > 256 MiB`. */
  readonly peers: string;
}

/** What a process or thread did over the whole file, from the recorder's own sums. Never of one call. */
export interface WholeFileActivity {
  readonly process: number;
  readonly pid: number;
  /** Where the row is one thread of the process: a thread of main with a part of its own. */
  readonly tid?: number;
  readonly name: string;
  readonly role: Role;
  /** Threads that were summed. */
  readonly threads: number;
  /** Absent where this trace has no switches, neither single nor summed. */
  readonly switches?: number;
  readonly offCpuNs?: number;
  readonly longestOffCpuNs?: number;
  /** Absent where this trace has no page allocations, neither single nor summed. */
  readonly pageAllocations?: number;
  readonly pageAllocationBytes?: number;
  /** When the process was forked, where recorded. */
  readonly startNs?: number;
}

export interface CannotTell {
  readonly question: string;
  readonly because: string;
}

/** "Why slow" for one call: facts with their basis, then what the trace cannot answer. */
export interface CallExplanation {
  readonly call: {
    readonly row: number;
    readonly name: string;
    readonly source: string;
    readonly layer: string;
    readonly startNs: number;
    readonly durationNs: number;
    readonly pid: number;
    readonly tid: number;
    readonly threadName: string;
    /** -1 = not known. */
    readonly bytes: number;
    readonly direction: Direction;
    /** Absent where it is not known or the call had not returned; 0 = success. */
    readonly returnCode?: number;
    /** The row of the runtime call around a driver call, and driver calls inside a runtime call. */
    readonly parent?: number;
    readonly children: readonly {
      readonly row: number;
      readonly name: string;
      readonly durationNs: number;
    }[];
    readonly stack: readonly NamedFrame[];
  };
  /** One sentence: what is known of the cause, or that the cause is not in this trace. */
  readonly headline: string;
  readonly accounting: readonly AccountingPart[];
  readonly rate?: { readonly bytesPerNs: number; readonly basis: Basis; readonly note: string };
  readonly hostMemory: {
    readonly kind: HostMemoryKind;
    readonly basis: Basis;
    readonly note: string;
  };
  readonly rank: CallRank;
  readonly offCpu: {
    /** Whether every switch of the calling thread during the call is in the trace. */
    readonly complete: boolean;
    readonly note: string;
    readonly spans: readonly OffCpuSpan[];
  };
  readonly wholeFile: {
    readonly note: string;
    readonly activity: readonly WholeFileActivity[];
    /** Why this activity cannot have slowed this call, where that is proven. */
    readonly ruledOut?: string;
  };
  readonly cannotTell: readonly CannotTell[];
}
