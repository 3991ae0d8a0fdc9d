import type { FlameTree } from './flame.ts';

/** The stacks of one run, as far as they are compared with those of another. JSON-safe. */
export interface RunFlame {
  /** Equal stacks joined, of the time that is compared. */
  readonly tree: FlameTree;
  /** Steps in that time; absent where the run has none to compare: then it is the whole recording. */
  readonly steps?: number;
  readonly lengthNs: number;
  /** Of samples: the time between two. */
  readonly everyNs?: number;
}

/** Weights of one run in a tree of two, by node. */
export interface FlameSide {
  readonly total: readonly number[];
  readonly self: readonly number[];
  /** All that has a stack. */
  readonly whole: number;
}

/** A function over all of a tree of two runs. */
export interface FunctionDifference {
  /** Index into the tree's frames. */
  readonly frame: number;
  /** Of native code and GPU work, the Python function above most of the change, else its caller there, likewise. */
  readonly under?: number;
  /** Weight that ended in it, in either run. */
  readonly first: number;
  readonly second: number;
  /** So few samples that they may differ by as much in two recordings of one job. */
  readonly mayBeChance: boolean;
}

/** The stacks of two runs in one tree. */
export interface FlameDifference {
  /** What weights are of: a mean step, or a second of recording where a run has no steps. */
  readonly per: 'step' | 'second';
  /** Weights are the mean of both runs', so that what is in one of them only is seen as well. */
  readonly tree: FlameTree;
  readonly first: FlameSide;
  readonly second: FlameSide;
  /** By node, 1 = it has too few samples to tell a change from chance. */
  readonly mayBeChance: readonly number[];
  /** Those that changed most first, at most MAX_CHANGED_FUNCTIONS. */
  readonly functions: readonly FunctionDifference[];
  /** What to know before it is believed. */
  readonly notes: readonly string[];
}

export const MAX_CHANGED_FUNCTIONS = 100;
