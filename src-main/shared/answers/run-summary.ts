import type { FlameWeight } from '../library/view.ts';
import type { Role } from '../model/trace.ts';
import type { Finding, TraceVerdict } from './diagnosis.ts';
import type { RunEnvironment } from './run-environment.ts';
import type { Phase } from './steps.ts';
import type { Unseen } from './unseen.ts';

/**
 * One recorded run, as far as it is compared with another: of a size that does not grow with the trace, so that
 * two runs are compared without having both traces open. JSON-safe.
 */
export interface RunSummary {
  /** Unix time of the trace's begin in ns, decimal. */
  readonly beginUnixNs: string;
  readonly environment: RunEnvironment;
  /** Whose steps, operations and environment are told: of several ranks the one with the longest step. Absent without a training process. */
  readonly rank?: string;
  readonly judged: RunVerdict;
  /** How many jobs the trace has: of several one is compared. */
  readonly jobs: number;
  /** Each of several of its job, in their order; empty of one. */
  readonly ranks: readonly RunRank[];
  /** Of that rank; absent where the run has no steps that can be compared, for the reason in `stepsNote`. */
  readonly steps?: RunSteps;
  readonly stepsNote: string;
  /** When the rank made its first CUDA call, ns from the trace's begin; absent without one. */
  readonly firstCallNs?: number;
  /** Of the rank's CUDA calls within its steps, those that took most first, at most MAX_OPERATIONS. */
  readonly operations: readonly RunOperation[];
  /** What the rank's threads did in its steps, by role; absent without steps. */
  readonly roles?: RunRoles;
  /** Set where not every CUDA call is known to be stored: what the recorder says of that. */
  readonly operationsNote?: string;
  /** Of all ranks of the job, costliest first; of one that is asked for, its own. */
  readonly findings: readonly RunFinding[];
  /** Which others it could not show: what is not found there may be there. */
  readonly unseen: Unseen;
  /** Of which it has stacks. */
  readonly stackWeights: readonly FlameWeight[];
}

/** What the run waits for, as it is told of it alone. */
export interface RunVerdict {
  readonly verdict: TraceVerdict;
  /** The verdict in one sentence, with its figures. */
  readonly sentence: string;
}

/** The steps that are compared, without those of the warm-up. */
export interface RunSteps {
  readonly basis: 'annotation' | 'signature';
  /** How many are compared. */
  readonly count: number;
  /** Steps of the run before the first of them. */
  readonly before: number;
  /** How many neighbours a value of the series is the mean of. */
  readonly groupSize: number;
  /** When the first step of each value began, ns from the trace's begin. */
  readonly startsNs: readonly number[];
  /** Mean length of a step, ns, in order of time: of each, or of so many neighbours that there are MAX_GROUPS at most. */
  readonly durationsNs: readonly number[];
  /** ns of a step in each phase, in the same order; of every step they sum to its length. */
  readonly parts: Readonly<Record<Phase, readonly number[]>>;
  /** Time that lies between the compared steps, for each of them: validation, or loading outside of the marked range. */
  readonly betweenNs: number;
  /** Whether waiting for input can be told from other host time. */
  readonly inputKnown: boolean;
}

/** One of several ranks. */
export interface RunRank {
  /** `rank 1 · pid 4242`. */
  readonly label: string;
  readonly rank?: number;
  /** Mean length of a compared step, and what it went to; absent where it has none. */
  readonly stepNs?: number;
  readonly parts?: Readonly<Record<Phase, number>>;
}

/** What of threads is compared: time on a CPU, ready without one, switches, page faults. */
export const roleFigures = ['cpuNs', 'runnableNs', 'switches', 'faults'] as const;
export type RoleFigure = (typeof roleFigures)[number];

export interface RunRoles {
  /** In the order of roles; those of whose threads nothing is known are left out. */
  readonly roles: readonly {
    readonly role: Role;
    readonly threads: number;
    /** Of all its threads, for each compared step; a figure that is not recorded is absent. */
    readonly aStep: Readonly<Partial<Record<RoleFigure, number>>>;
  }[];
  /** Figures that may be more, since not every event is in the trace. */
  readonly atLeast: readonly RoleFigure[];
}

export interface RunOperation {
  readonly name: string;
  /** `H2D`; empty where it is no copy. */
  readonly direction: string;
  /** Index into sizeBucketNames, -1 = no size. */
  readonly sizeBucket: number;
  readonly totalNs: number;
  /** The middle of the single calls. */
  readonly medianNs: number;
  /** ns of a step in it, for each value of the series of steps. */
  readonly stepNs: readonly number[];
}

export interface RunFinding extends Pick<Finding, 'id' | 'title' | 'culprit'> {
  /** Of the compared steps, without the warm-up, for each of them; absent without steps. */
  readonly costPerStepNs?: number;
  /** Labels of the ranks that have it, where not all do. */
  readonly ranks?: readonly string[];
  /** How often it happened in the time that is judged, where that is known. */
  readonly times?: number;
}

/** The longest series: a run of a million steps is told by so many means of consecutive steps. */
export const MAX_GROUPS = 1000;
export const MAX_OPERATIONS = 24;
export const MAX_RUN_FINDINGS = 50;

/**
 * Steps at the begin of a recording that are left out: a tenth of them, one at least and 200 at most. A job
 * that was started by the recorder fills caches, compiles kernels and starts its workers in them. By the same
 * rule in every run, whether it was recorded from its start or not.
 */
export function warmUpSteps(count: number): number {
  return count < 2 ? 0 : Math.min(200, Math.ceil(count / 10));
}
