import type { TimeSpan } from './summary.ts';

/** What the training loop was doing; `idle` = a server that waits for a request. A code's position is its value in `u8` columns. */
export const phases = ['other', 'input', 'h2d', 'compute', 'collective', 'idle'] as const;
export type Phase = (typeof phases)[number];

/** ns in each phase; they sum to the time that was split. */
export type PhaseSplit = Readonly<Record<Phase, number>>;

/** Which of the CUDA calls that happened a file holds, where it is not known to hold all. */
export type KeptCalls = 'some' | 'none' | 'unknown';

/** Steps of about one length. */
export interface StepKind {
  readonly count: number;
  readonly medianNs: number;
}

/** How often a server went from waiting for a request to CUDA calls. */
export interface RequestBursts {
  readonly count: number;
  /** From the end of one wait to the begin of the next. */
  readonly medianNs: number;
  readonly p95Ns: number;
  /** How long it had nothing to answer, each time until CUDA calls followed, as far as waits are stored. */
  readonly waits: {
    readonly count: number;
    readonly medianNs: number;
    readonly p95Ns: number;
    readonly longestNs: number;
  };
}

export interface StepSummary {
  /** `annotation`: ProfilerStep or NVTX ranges. `signature`: the repeating pattern of CUDA calls. */
  readonly basis: 'annotation' | 'signature' | 'none';
  /** How they were found, or why not: then the whole window counts as one. */
  readonly note: string;
  readonly count: number;
  /** What is judged: from the first step to the end of the last, else first to last CUDA call. */
  readonly window: TimeSpan;
  readonly total: PhaseSplit;
  /**
   * The middle of all steps, by phase: medians need not sum to a step. `meanNs` is the mean length of a
   * step. Absent without steps.
   */
  readonly typical?: PhaseSplit & {
    readonly durationNs: number;
    readonly p95Ns: number;
    readonly meanNs: number;
    /** Set where the steps are of two kinds, the shorter first: then the middle of all is that of neither. */
    readonly kinds?: readonly [StepKind, StepKind];
  };
  /** In order of time, at most 2,000 spread evenly over the window. */
  readonly steps: readonly {
    readonly index: number;
    readonly startNs: number;
    readonly endNs: number;
    readonly split: PhaseSplit;
  }[];
  /**
   * Set where the calls are a selection of those that happened: then the split says what the stored calls
   * took, and is no share of the time.
   */
  readonly isSelection?: true;
  /** Beside `isSelection`: which of the calls are stored, as far as that is known. */
  readonly keptCalls?: KeptCalls;
  /** Set where the process runs its model over batches, and nothing shows that it trains it. */
  readonly infers?: true;
  /** Set where the process answers requests instead of training: what of "other" is not known may be idle too. */
  readonly serves?: true;
  /** Beside `serves`, where its waits for requests are stored. */
  readonly requests?: RequestBursts;
  /** Set where it is not known whether the process trains or answers requests. */
  readonly loopUnknown?: true;
  /** How input wait was told from other host time, or why it cannot be. */
  readonly inputNote: string;
}

/**
 * What the training thread did while the GPU had nothing to do. `copy`: in a copy to it; `launch`: in a launch
 * or on the way from one to the next; `sync`: in a call that waits for it; `allocate`: allocating or freeing;
 * `call`: in another CUDA call; `request`: a server that waits for one; `host`: all else outside of calls.
 */
export const idleCauses = [
  'input',
  'copy',
  'launch',
  'sync',
  'allocate',
  'collective',
  'call',
  'request',
  'host',
] as const;
export type IdleCause = (typeof idleCauses)[number];

/** What one GPU did over the window, by its own records; its five times sum to it. */
export interface DeviceTime {
  /** `GPU 1`; `GPU` where there is but one, or the records do not name it. */
  readonly label: string;
  /** Kernels, fills and graphs, with or without copies beside them. */
  readonly computingNs: number;
  /** How many of them began. */
  readonly kernels: number;
  /** Kernels of collectives only: they wait for other ranks on the GPU. */
  readonly collectiveNs: number;
  /** Copies only. */
  readonly copyingNs: number;
  /** Of these, with a copy from host memory among them. */
  readonly h2dNs: number;
  readonly idleNs: number;
  /** Records may be missing. */
  readonly unknownNs: number;
  /** Sums to idleNs. */
  readonly idleBy: Readonly<Record<IdleCause, number>>;
}

/** When it is proven that a device had nothing to do. */
export interface IdleStretches {
  /** In order of time; of more than 2,000 the longest. */
  readonly spans: readonly TimeSpan[];
  /** How many there are. */
  readonly count: number;
}

/** When a device had nothing to do. Disjoint; idle, busy and unknown sum to the window. */
export interface Starvation {
  /**
   * `exact`: from GPU records. `bound`: at least this much, from what was submitted and synced, or from GPU
   * records of which some may be missing.
   */
  readonly basis: 'exact' | 'bound' | 'unknown';
  readonly note: string;
  readonly idleNs: number;
  readonly busyNs: number;
  readonly unknownNs: number;
  /** The longest stretches without work, longest first. */
  readonly longest: readonly TimeSpan[];
  /** Beside a bound from what was submitted: where it lies. */
  readonly stretches?: IdleStretches;
  /** Set where any of the GPUs’ own records may be missing: each of them computed for this long at least. */
  readonly computingLeastNs?: number;
  /** Set where it is from the GPU’s own records. */
  readonly recorded?: {
    /** All GPUs of the rank taken together: idle where none of them ran anything. */
    readonly all: DeviceTime;
    /** Each by itself, in order. */
    readonly devices: readonly DeviceTime[];
    /** GPUs of the same host on which nothing that is recorded ran. */
    readonly unused: readonly string[];
  };
}
