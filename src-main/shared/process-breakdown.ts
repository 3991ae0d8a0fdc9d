import type { EventRef } from './event-ref.ts';
import type { Role } from './model/trace.ts';

/** What a process or thread did over a stretch of time. A figure the trace does not have is absent. */
export interface Activity {
  readonly cpuNs?: number;
  readonly switches?: number;
  /** Times it lost the CPU while it could have gone on. */
  readonly preemptions?: number;
  readonly runnableNs?: number;
  readonly throttledNs?: number;
  readonly blockedNs?: number;
  readonly diskNs?: number;
  readonly longestStallNs?: number;
  readonly longestStall?: EventRef;
  readonly minorFaults?: number;
  readonly majorFaults?: number;
  readonly pageAllocations?: number;
  readonly pageAllocationBytes?: number;
  readonly cudaCalls?: number;
  readonly cudaNs?: number;
}

export interface ThreadBreakdown extends Activity {
  readonly thread: number;
  readonly tid: number;
  readonly name: string;
  readonly role: Role;
}

export interface ProcessBreakdown extends Activity {
  readonly process: number;
  readonly pid: number;
  /** `DataLoader worker 3`. */
  readonly label: string;
  readonly name: string;
  readonly role: Role;
  readonly roleBasis: string;
  /** Whether the user said the role. */
  readonly roleSet: boolean;
  readonly rank?: number;
  /** Index into processes, -1 = not known. */
  readonly parent: number;
  readonly insideJob: boolean;
  readonly startNs?: number;
  readonly endNs?: number;
  readonly threads: readonly ThreadBreakdown[];
}
