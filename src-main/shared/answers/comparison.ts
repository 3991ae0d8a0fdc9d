import type { FlameWeight } from '../library/view.ts';
import type { Role } from '../model/trace.ts';
import type { RoleFigure, RunSteps, RunVerdict } from './run-summary.ts';
import type { Phase } from './steps.ts';

/** What became of a run in a second one. */
type ComparisonVerdict =
  | 'improved'
  | 'worse'
  | 'no-measurable-change'
  | 'cannot-tell'
  | 'not-comparable';

/** A figure of both runs: second over first, with its interval of 95 % where that can be told. */
export interface ComparedFigure {
  readonly firstNs: number;
  readonly secondNs: number;
  readonly ratio?: number;
  readonly low?: number;
  readonly high?: number;
}

export interface ComparedPart extends ComparedFigure {
  readonly phase: Phase;
  readonly label: string;
}

export interface ComparedOperation extends ComparedFigure {
  readonly name: string;
  readonly direction: string;
  readonly sizeBucket: number;
  /** Of single calls; absent where a run has none. */
  readonly firstMedianNs?: number;
  readonly secondMedianNs?: number;
}

/** One of several ranks: a mean step of it. */
export interface ComparedRank extends ComparedFigure {
  /** `rank 1`. */
  readonly label: string;
  /** Of it, waiting for input, where that is told of both. */
  readonly input?: ComparedFigure;
}

/** What threads of one role did a step: ns of `cpuNs` and `runnableNs`, else how often. */
export interface ComparedRole {
  readonly role: Role;
  readonly figure: RoleFigure;
  readonly first: number;
  readonly second: number;
  readonly ratio?: number;
  /** Set where a run may not hold every event: both are then at least so much. */
  readonly isAtLeast?: true;
}

/** Something that is not the same in both runs. */
export interface RunDifference {
  /** `GPU`, `DataLoader workers`. */
  readonly what: string;
  readonly first: string;
  readonly second: string;
  /**
   * `prevents`: a step of one is nothing to compare a step of the other with. `check`: it may be, and may be part of
   * the change: a person has to tell. `explains`: it may be why they differ, whatever else was changed. `setting`: how
   * the job was set up, so probably what was changed. `output`: where it writes, or what the run is called, so that a
   * step is no longer or shorter by it.
   */
  readonly kind: 'prevents' | 'check' | 'explains' | 'setting' | 'output';
  /** Of the kind `check`: what to make sure of, a sentence. */
  readonly check?: string;
  /** Findings whose fix is to change just this. */
  readonly fixes: readonly string[];
}

export interface ComparedFinding {
  readonly id: string;
  readonly title: string;
  /** `maybe-gone`: the second run could not show it; `maybe-new`: the first could not; `in-…`: of runs that can't be compared. */
  readonly became:
    | 'gone'
    | 'maybe-gone'
    | 'new'
    | 'maybe-new'
    | 'changed'
    | 'same'
    | 'in-first'
    | 'in-second'
    | 'in-both';
  /** Labels of the ranks of the run that has it, the first unless it is new there, where not all have it. */
  readonly ranks?: readonly string[];
  /** A step; absent where it does not have the finding, or no steps. */
  readonly firstNs?: number;
  readonly secondNs?: number;
  /** Only of those gone: whether the shorter step may be put down to it alone. */
  readonly credited?: boolean;
  /** Of those gone where steps are shorter: so much of the gain, by what it cost a step. */
  readonly accountsForNs?: number;
  /** Of those gone, its part in the gain, and what speaks against it; of those that cost less, by how much; else why it may be in the run that does not show it. */
  readonly note?: string;
}

export interface RunComparison {
  readonly verdict: ComparisonVerdict;
  /** The verdict with its figures or its reason. */
  readonly sentence: string;
  /** What each run waits for, of its whole recording. */
  readonly judged: { readonly first: RunVerdict; readonly second: RunVerdict };
  /** Mean length of a step. */
  readonly step?: ComparedFigure;
  /** Steps that are compared of each, and those before them that are left out as warm-up. */
  readonly firstSteps: number;
  readonly secondSteps: number;
  readonly firstWarmUp: number;
  readonly secondWarmUp: number;
  readonly differences: readonly RunDifference[];
  readonly parts: readonly ComparedPart[];
  /** Of several ranks, each in both; else empty. */
  readonly ranks: readonly ComparedRank[];
  readonly operations: readonly ComparedOperation[];
  /** What both recorded of their threads; empty where it is nothing. */
  readonly roles: readonly ComparedRole[];
  readonly findings: readonly ComparedFinding[];
  /** Of which both have stacks, so that those can be compared: FlameDifference. */
  readonly stackWeights: readonly FlameWeight[];
  /** What to know before it is believed. */
  readonly notes: readonly string[];
}

/** The compared steps of a run in order of time, each value that of `groupSize` neighbours. */
export interface StepSeries
  extends Pick<RunSteps, 'before' | 'groupSize' | 'startsNs' | 'durationsNs'> {
  /** ns of a step in each phase that is told of both runs, in the same order. */
  readonly parts: Readonly<Partial<Record<Phase, readonly number[]>>>;
}

/** Where runs are brought in line that are not compared by steps. */
export interface RunBegin {
  /** Of its first CUDA call, ns from the trace's begin; absent where it has none. */
  readonly firstCallNs?: number;
  /** Label of the rank that is compared. */
  readonly rank?: string;
}

export interface RunBegins {
  readonly first: RunBegin;
  readonly second: RunBegin;
}

/** The steps of both runs that are compared. */
export interface StepSeriesPair {
  readonly first: StepSeries;
  readonly second: StepSeries;
  /** What the parts are called: where input is not told of both, another part holds it. */
  readonly labels: Readonly<Partial<Record<Phase, string>>>;
}
