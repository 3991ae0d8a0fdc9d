import type { CallExplanation, CallMemory } from './explanation.ts';
import type { WaitChain } from './wait-chain.ts';

type MemoryCounts = Pick<
  CallMemory,
  'minorFaults' | 'majorFaults' | 'pageAllocations' | 'pageAllocationBytes'
>;

/** Page faults and allocations in a stretch of a thread's time. */
export interface StretchMemory {
  readonly own: MemoryCounts;
  /** All other threads of its rank meanwhile, added up. */
  readonly others: MemoryCounts;
  /** Faults are known by slices on a CPU only, or allocations by their sums: there were at least so many. */
  readonly isAtLeast: boolean;
}

/** A function as it is told. */
export interface NamedFunction {
  /** `Trainer.save_model`. */
  readonly name: string;
  /** `train.py`; '' = not known. */
  readonly file: string;
}

/** In which functions a thread was while it ran in a stretch. */
export interface RanWithin {
  /** Index into threads. */
  readonly thread: number;
  /** Those that at least half of its CPU samples were in, or in what these called. */
  readonly functions: readonly NamedFunction[];
}

/** "Why slow" for a stretch of a thread's time: what it waited for, and what else is known of it. */
export interface StretchExplanation extends WaitChain {
  /** Absent where the trace says nothing of memory for it. */
  readonly memory?: StretchMemory;
  /** The largest copy that the thread asked for and that was under way in it. */
  readonly copy?: Pick<CallExplanation, 'call' | 'rate' | 'hostMemory' | 'rank'>;
  /** Of the threads that ran in it, where samples tell. */
  readonly ranWithin: readonly RanWithin[];
}
