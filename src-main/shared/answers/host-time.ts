/**
 * What the training thread was busy with outside of CUDA calls while it waited for no input. Each but `none`, `loader`,
 * `helper` is the id of the rule that tells of it.
 */
export const hostKinds = [
  /** Not known which of these, if any. */
  'none',
  /** Taking a batch over from the loader, and giving its shared memory back. */
  'loader',
  /** Waiting for a thread of its own that makes CUDA calls, or computes, for it. */
  'helper',
  'garbage-collection',
  'compiling',
  'checkpoint',
  'slow-output',
  'subprocess-wait',
  'evaluation',
  'host-metrics',
  'host-data-movement',
  'producer',
  'thread-lock',
  'shared-lock',
  'slow-server',
  'sleep',
  'gil',
  /** Doing nothing: stopped by a signal, by whoever traces it, or frozen. */
  'stopped',
] as const;
export type HostKind = (typeof hostKinds)[number];

/** A part of the training thread's other time: one function, at the line with most of it. */
export interface HostPart {
  readonly kind: HostKind;
  /** `save_model (train.py:51)`; undefined where no stack tells. */
  readonly place?: string;
  /** `on a CPU, or waiting for one`, `asleep, waiting for a pipe`: most of it. */
  readonly state: string;
  /** `every 20 steps`; absent where that is not known. */
  readonly often?: string;
  readonly ns: number;
}

/** The training thread's other time by line. */
export interface HostTimeParts {
  /** The phase `other` of the window. */
  readonly ns: number;
  /** Most first; small ones are left out. */
  readonly parts: readonly HostPart[];
  /** What the parts leave of `ns`. */
  readonly restNs: number;
}
