import type { EventRefs } from '../model/event-ref.ts';
import type { Basis, CannotTell } from './basis.ts';
import type { HostTimeParts } from './host-time.ts';
import type { InputTimeParts } from './input-time.ts';
import type { Rank } from './jobs.ts';
import type { Phase, Starvation, StepSummary } from './steps.ts';

/** What slows a job, ranked, each with the events that show it: "Why slow" of the whole trace. */

export type TraceVerdict =
  | 'input-bound'
  | 'input-straggler'
  | 'h2d-bound'
  | 'compute-bound'
  /** The GPU waits for the loop's own work: by the GPU's own records only. */
  | 'host-bound'
  | 'balanced'
  /** It answers requests: a server that is asked little is idle, and that is no fault of it. */
  | 'serving'
  | 'unknown';

/**
 * A finding of less than this share of the judged time is not told: two runs of the same job differ
 * by more, so nobody could measure that it was fixed. Our own choice.
 */
export const WORTH_TELLING_SHARE = 0.01;

/** By share of the wall time that is judged: high ≥ 20 %, medium ≥ 10 %, low below, info without cost. */
export type Severity = 'high' | 'medium' | 'low' | 'info';

/** A figure or fact that makes a finding apply. */
export interface Evidence {
  /** `4 DataLoader workers and the training process on 2 CPUs`. */
  readonly text: string;
  readonly basis: Basis;
  readonly events: EventRefs;
}

/** Where the field knows it from. */
export interface FixSource {
  readonly title: string;
  readonly url?: string;
}

export interface Fix {
  /** What to do, in the imperative, with this trace's numbers. */
  readonly title: string;
  readonly text: string;
  /** Python, unless `language` says else; both run as they stand after `setup`. */
  readonly before: string;
  readonly after: string;
  readonly language: 'python' | 'shell';
  readonly sources: readonly FixSource[];
}

/** A line of the user's or a library's code in which threads were sampled. */
export interface HotLine {
  readonly function: string;
  readonly file: string;
  readonly line: number;
  /** CPU samples, or waits where `offCpuNs` is given. */
  readonly samples: number;
  /** Of all samples of these threads in the time that was looked at; see `offCpuNs`. */
  readonly share: number;
  /** ns off the CPU in this line: then `share` is of the workers' time off the CPU in making batches. */
  readonly offCpuNs?: number;
  readonly language: 'python' | 'native';
}

export interface Finding {
  /** The id of its row in docs/findings.md: `workers-to-cores`. */
  readonly id: string;
  /** Index into `ranks` of the diagnosis. */
  readonly rank: number;
  readonly title: string;
  /** What is to blame, named so that it is the same in another trace: a function, a process. */
  readonly culprit?: string;
  /** One or two sentences with this trace's figures. */
  readonly sentence: string;
  readonly severity: Severity;
  /** Starved (else step) wall time attributed to it, ns; what another finding claims is not in it. */
  readonly costNs: number;
  /** Of the window that is judged, 0…1. */
  readonly costShare: number;
  readonly costBasis: Basis;
  readonly confidence: 'proven' | 'likely' | 'possible';
  /** That it took longer and longer over the run, a sentence without its full stop: the first of its evidence. */
  readonly growth?: string;
  readonly evidence: readonly Evidence[];
  readonly hotLines: readonly HotLine[];
  readonly fix: Fix;
  /** No more than this can be saved, ns of the window, from this trace; absent = nothing in it bounds that. */
  readonly gainUpToNs?: number;
  /** Beside `gainUpToNs`, why it may be that much: `if all waits that it may cause end with it`. */
  readonly gainAssumes?: string;
  /** Absent where nothing is to be changed. */
  readonly experiment?: Experiment;
}

/** How to find out whether a finding is right: another capture, after one change. */
export interface Experiment {
  /** What the second trace shows if it is right, and what refutes it. */
  readonly expects: string;
  /**
   * The command line of the second capture, of what was recorded in the first; what the trace does not say is for the user to
   * fill in: `HOST`, and `COMMAND…`, `DIR` or `PID`.
   */
  readonly capture: string;
}

/** One level of a causal chain. */
export interface CausalLink {
  readonly text: string;
  readonly events: EventRefs;
}

/** SYSTEM → HOST → CUDA: one per cause, however often it happened. */
export interface CausalChain {
  readonly finding: string;
  readonly rank: number;
  readonly severity: Severity;
  readonly costNs: number;
  readonly costShare: number;
  readonly system: CausalLink;
  readonly host: CausalLink;
  readonly cuda: CausalLink;
  /** The costliest, in order of time: those in which no other finding costs more, where it has such. */
  readonly occurrences: readonly {
    readonly startNs: number;
    readonly endNs: number;
    readonly costNs: number;
  }[];
  /** Stretches of the loop's time that it is in, listed or not: each may hold many waits. */
  readonly occurrenceCount: number;
}

interface RankLateness {
  /** Collectives of which it is known who came last, and to how many of them this rank did. */
  readonly known: number;
  readonly last: number;
  /** How long all other ranks together waited for it, ns. */
  readonly othersWaitedNs: number;
  /** Set where it is clearly the one that all wait for. */
  readonly isLeader?: true;
}

/** What points at a cause where none is proven. */
export interface Clue {
  /** A sentence without its full stop. */
  readonly text: string;
  /** What it may mean, or what is missing to know. */
  readonly detail: string;
  readonly basis: Basis;
  readonly events: EventRefs;
}

export interface RankDiagnosis {
  readonly rank: Rank;
  /** A number of its job, where other ranks of that are judged too. */
  readonly job?: number;
  /** How late it came to the collectives of its ranks, where that is known of any. */
  readonly lateness?: RankLateness;
  readonly verdict: TraceVerdict;
  readonly severity: Severity;
  readonly sentence: string;
  readonly steps: StepSummary;
  /** Whether input wait can be told from other host time: without, it is part of that. */
  readonly inputKnown: boolean;
  readonly starvation: Starvation;
  /** What went on in the phase `input`, where that is 10 % of the time or more. */
  readonly inputTime?: InputTimeParts;
  /** What the phase `other` went to, by line, where that is 10 % of the time or more. */
  readonly hostTime?: HostTimeParts;
}

export interface Diagnosis {
  /** Of the rank that waits most. */
  readonly verdict: TraceVerdict;
  readonly severity: Severity;
  /** One sentence: the verdict and its main cause, with figures. */
  readonly headline: string;
  readonly ranks: readonly RankDiagnosis[];
  /** Index into `ranks` of the one that the verdict is of; absent without ranks. */
  readonly lead?: number;
  /** One sentence where most of what the verdict is of has no known cause: no finding explains it then. */
  readonly unexplained?: string;
  /** One sentence where more of the time than the costliest finding explains is of no known state. */
  readonly largerUnknown?: string;
  /** Where nothing is proven, what comes closest to it, strongest first; else absent. */
  readonly clues?: readonly Clue[];
  /** Costliest first. */
  readonly findings: readonly Finding[];
  readonly chains: readonly CausalChain[];
  /** Wall time of the judged windows by what it went to: the cost bar. Sums to `windowNs`. */
  readonly costs: readonly {
    readonly label: string;
    readonly finding?: string;
    /** Of what no finding claims. */
    readonly phase?: Phase;
    readonly ns: number;
  }[];
  readonly windowNs: number;
  /** Set where CUDA calls are a selection of those that happened: `costs` are then no shares of the time. */
  readonly isSelection?: true;
  readonly cannotTell: readonly CannotTell[];
}
