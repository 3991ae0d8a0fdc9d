import type { Direction, HostMemoryKind } from '../model/codes.ts';
import type { EventRefs } from '../model/event-ref.ts';
import type { Role } from '../model/trace.ts';
import type { Basis, CannotTell } from './basis.ts';
import type { Finding } from './diagnosis.ts';
import type { NamedFrame } from './flame.ts';
import type { GpuMeanwhile, SubmittedWork } from './gpu-work.ts';
import type { ThreadLabel } from './jobs.ts';
import type { WaitChain } from './wait-chain.ts';

/**
 * What a part of a thread's time went to, by its kind.
 * running: `device-wait` = spinning until the GPU is done, `staging-copy` = copying pageable memory,
 * `fault` = in the kernel for a page, `stolen` = interrupts or the hypervisor had the CPU.
 * runnable: who had the CPU it waited for, if anybody. blocked: on what.
 */
export type PartDetail =
  | 'device-wait'
  | 'staging-copy'
  | 'fault'
  | 'stolen'
  | 'other'
  | 'own-job-ran'
  | 'others-ran'
  | 'kernel-ran'
  | 'throttled'
  | 'idle-cpu'
  | 'lock'
  | 'pipe'
  | 'socket'
  | 'file'
  | 'poll'
  | 'child'
  | 'process'
  | 'disk'
  | 'page'
  | 'device'
  | 'timer'
  | 'stopped'
  | 'unknown';

/**
 * One part of a call's wall time. Parts are disjoint and sum to the call's duration to the ns.
 * `off-cpu` is time off the CPU of which it is not recorded whether it was runnable or blocked.
 */
export interface AccountingPart {
  readonly kind: 'running' | 'runnable' | 'blocked' | 'off-cpu' | 'unexplained';
  /** Absent where the kind is all there is to say. */
  readonly detail?: PartDetail;
  readonly ns: number;
  /** Why the part is called so. */
  readonly reason: string;
  readonly basis: Basis;
  /** Set where a sum of the whole call bears on `ns`, and where inside the call it lies is not known. */
  readonly isBound?: true;
  readonly events: EventRefs;
}

/** A thread that ran on the CPU for which another one waited. */
export interface Contender extends ThreadLabel {
  readonly ns: number;
  readonly cpus: readonly { readonly cpu: number; readonly ns: number }[];
  readonly events: EventRefs;
}

/** Who ran while a thread was runnable. The first five sum to `runnableNs`. */
export interface Contention {
  readonly runnableNs: number;
  readonly othersRanNs: number;
  /** A CPU quota kept it from running: nobody ran instead. */
  readonly throttledNs: number;
  /** Its CPU was idle: wake-up latency or migration. */
  readonly idleNs: number;
  readonly unknownNs: number;
  /** In all of `unknownNs` no thread of the job had the CPU: something outside of it, or the kernel. */
  readonly outsideJob?: true;
  /** Most first; their ns sum to `othersRanNs`. */
  readonly contenders: readonly Contender[];
  readonly note: string;
}

/** Page faults and allocations inside a call, of its own thread. */
export interface CallMemory {
  readonly minorFaults?: number;
  readonly majorFaults?: number;
  readonly faultNs?: number;
  readonly pageAllocations?: number;
  readonly pageAllocationBytes?: number;
  /** Where single faults are stored: the ranges that faulted, most faults first. */
  readonly ranges: readonly {
    readonly startAddress: number;
    readonly endAddress: number;
    readonly faults: number;
  }[];
  /** The same of the DataLoader workers and other threads of the job, during the call; most first. */
  readonly others: readonly {
    readonly thread: ThreadLabel;
    readonly minorFaults?: number;
    readonly majorFaults?: number;
    readonly pageAllocations?: number;
    readonly pageAllocationBytes?: number;
  }[];
  /** GB/s this trace reaches at best with copies of this direction on this machine, bytes per ns. */
  readonly bestRate?: { readonly bytesPerNs: number; readonly call: number };
  readonly note: string;
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
  /** What its host is called, in a trace of several. */
  readonly host?: string;
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
    /** What its host is called, in a trace of several. */
    readonly host?: string;
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
  /** Its size over the time from the call's entry until the GPU had done the copy; only by the GPU's own record. */
  readonly effectiveRate?: { readonly bytesPerNs: number; readonly ns: number };
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
    /** Where not every switch is known: the sum that was measured around the call, without moments. */
    readonly measuredNs?: number;
  };
  readonly wholeFile: {
    readonly note: string;
    readonly activity: readonly WholeFileActivity[];
    /** Why this activity cannot have slowed this call, where that is proven. */
    readonly ruledOut?: string;
  };
  readonly contention: Contention;
  /** What the GPU did for it; absent where no record says so. */
  readonly gpuWork?: SubmittedWork;
  /** What the GPU was at while the call lasted; absent where no record is of its process. */
  readonly gpuMeanwhile?: GpuMeanwhile;
  readonly memory: CallMemory;
  readonly waitChain: WaitChain;
  /** The findings of the whole trace that bear on this call, the one that explains most of it first. */
  readonly fixes: readonly Finding[];
  readonly cannotTell: readonly CannotTell[];
}
