import type { RunComparison } from './comparison.ts';
import type { Phase } from './steps.ts';

/** Several runs of one job, each beside the first. JSON-safe. */
export interface RunSeries {
  /** Which run has the shortest step, with its figures, or why that cannot be told. */
  readonly sentence: string;
  /** The one thing about the runs that was set differently, where it is one. */
  readonly varied?: string;
  /** The first is what the others are compared with. In order of what varied, where that is a number, else as they were given. */
  readonly runs: readonly SeriesRun[];
}

export interface SeriesRun {
  /** What the caller calls it. */
  readonly name: string;
  /** Of what varied. */
  readonly setting?: string;
  /** Steps that are compared, and those before them that are left out as warm-up. */
  readonly steps: number;
  readonly warmUp: number;
  /** Mean length of a step, and what it went to; absent where the run has no steps. */
  readonly stepNs?: number;
  readonly parts?: Readonly<Record<Phase, number>>;
  /** Whether waiting for input is told from other host time. */
  readonly inputKnown: boolean;
  /** The costliest finding. */
  readonly finding?: string;
  /** With the first run; absent of that one. */
  readonly comparison?: RunComparison;
}

/** More than these nobody reads side by side. */
export const MAX_SERIES_RUNS = 50;
