import { z } from 'zod';
import type { EventRef } from '../model/event-ref.ts';
import type { Role } from '../model/trace.ts';

/** A stretch of time, ns from the trace's begin; empty = all of it. */
export const timeSpan = z
  .strictObject({
    startNs: z.number().nonnegative().optional(),
    endNs: z.number().nonnegative().optional(),
  })
  .refine(
    ({ startNs, endNs }) => (startNs === undefined) === (endNs === undefined),
    'a range has a start and an end',
  )
  .refine(({ startNs = 0, endNs = 0 }) => endNs >= startNs, 'a range cannot end before it starts');

/** What a process or thread did over a stretch of time. A figure the trace does not have is absent. */
export interface Activity {
  /** Time on a CPU. */
  readonly cpuNs?: number;
  readonly switches?: number;
  /** Times it lost the CPU while it could have gone on. */
  readonly preemptions?: number;
  /** Time off the CPU for whatever reason, where what it waited for is not recorded. */
  readonly offCpuNs?: number;
  readonly runnableNs?: number;
  readonly throttledNs?: number;
  readonly blockedNs?: number;
  readonly diskNs?: number;
  /** Longest time off the CPU. */
  readonly longestStallNs?: number;
  readonly longestStall?: EventRef;
  readonly minorFaults?: number;
  readonly majorFaults?: number;
  readonly pageAllocations?: number;
  readonly pageAllocationBytes?: number;
  readonly cudaCalls?: number;
  /** Time in CUDA calls, nested ones counted once. */
  readonly cudaNs?: number;
}

export type ActivityFigure = Exclude<keyof Activity, 'longestStall'>;

/** How the figures of a breakdown are known: those in neither list are exact. */
export interface FigureBases {
  /** The recorder's own sums are in them; those of `atLeast` too may have been more. */
  readonly aggregated: readonly ActivityFigure[];
  /** At least so much: the trace does not hold every event. */
  readonly atLeast: readonly ActivityFigure[];
}

export interface ThreadBreakdown extends Activity {
  readonly thread: number;
  readonly tid: number;
  readonly name: string;
  readonly role: Role;
  /** Empty where the thread does what its process does. */
  readonly roleBasis: string;
}

export interface ProcessBreakdown extends Activity {
  readonly process: number;
  readonly pid: number;
  /** What its host is called, in a trace of several. */
  readonly host?: string;
  /** Index into the bases; absent: the first. */
  readonly hostIndex?: number;
  /** `DataLoader worker 3`. */
  readonly label: string;
  /** `of rank 1 · pid 4242`, `started by sshd (pid 311)`, or nothing. */
  readonly lineage: string;
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

/** All processes of a trace, over a stretch of its time. */
export interface ProcessBreakdowns {
  readonly processes: readonly ProcessBreakdown[];
  /** By host. */
  readonly bases: readonly FigureBases[];
  /** What to know of the figures, in a sentence or two; may be empty. */
  readonly note: string;
}
