import type { HotLine } from '../../../shared/answers/diagnosis.ts';
import type { HostKind } from '../../../shared/answers/host-time.ts';
import type { Rank, WorkerGeneration } from '../../../shared/answers/jobs.ts';
import type { Phase, PhaseSplit, Starvation, StepSummary } from '../../../shared/answers/steps.ts';
import type { TimeSpan } from '../../../shared/answers/summary.ts';
import type { CycleCause } from '../../../shared/answers/wait-chain.ts';
import type { EventRefs } from '../../../shared/model/event-ref.ts';
import type { Trace } from '../../../shared/model/trace.ts';
import type { EvaluationRuns } from '../../host/evaluation-runs.ts';
import type { hostGrowthIn } from '../../host/host-growth.ts';
import type { HostTime } from '../../host/host-time.ts';
import type { Repeats, rowsRepeatIn } from '../../host/repeats.ts';
import type { Spans } from '../../index/spans.ts';
import type { CopyGroup } from '../../steps/h2d-groups.ts';
import type { StateTotals } from '../../threads/state-totals.ts';

/** What the rules of findings/ judge: worked out once per rank, figures over its window. */

/** A DataLoader worker, over the part of the window in which it lived. */
export interface WorkerFacts {
  readonly process: number;
  readonly mainThread: number;
  readonly threads: readonly number[];
  readonly number: number;
  readonly generation: number;
  readonly window: TimeSpan;
  /** Of its main thread. */
  readonly states: StateTotals;
  /** What its production cycles went to, summed: ns by cause. */
  readonly cycles: Readonly<Record<CycleCause, number>>;
  readonly batches: number;
  /** When it had made all it had been asked for: `idleSpans` of its cycles. Absent = not known. */
  readonly idle?: Spans;
}

/** Why wall time of the training loop passed. Where a worker made the batch, the worker's cause. */
export type CostCause =
  | CycleCause
  /** Waiting for the GPU. */
  | 'device'
  /** Copying pageable memory while its stream was provably empty. */
  | 'staging'
  /** A transfer, from pinned or unknown memory. */
  | 'transfer'
  /** The GPU had run dry because the loop had waited for it: up to its next work. By its own records only. */
  | 'drained'
  /** The GPU had nothing to do while the loop launched one kernel after the other. By its own records only. */
  | 'launching'
  /** In the kernel for a page. */
  | 'fault'
  | 'stolen'
  /** Ready to run without a CPU, and who had it is not known. */
  | 'runnable'
  /** Off the CPU, and why is not known: `unknown` may as well have been running. */
  | 'off-cpu'
  /** Allocating or freeing device or pinned memory. */
  | 'allocation'
  /** In a collective to which another rank had not come yet. */
  | 'last-rank';

/** Wall time of the window with one phase and cause. All cells are disjoint and sum to the window. */
export interface CostCell {
  readonly phase: Phase;
  /** Whose cause it was: the main thread's own, or that of the worker it waited for. */
  readonly whose: 'main' | 'worker';
  readonly cause: CostCause;
  /** What the main thread was busy with in its other time, where that is known; of its CUDA calls only evaluation is. */
  readonly activity?: HostKind;
  readonly ns: number;
  /** Of these, with the device provably idle; -1 = not known. */
  readonly starvedNs: number;
  /** Of these, with the device computing beside it, by its own records; -1 = not known. */
  readonly hiddenNs: number;
  /** Set where some of it follows from sums around calls: where inside them it lies is not known. */
  readonly isBound?: true;
  /** The stretches with most of it, most first, at most 50; `spanCount` = how many have nearly all of it. */
  readonly spans: readonly TimeSpan[];
  /** ns of it in each of `spans`: a stretch may have parts with other causes. */
  readonly spanNs: readonly number[];
  readonly spanCount: number;
  /** Its waits and other parts: of one stretch there may be many. */
  readonly count: number;
  readonly events: EventRefs;
}

/** CPUs the rank may use, and how busy the machine was. */
export interface CpuFacts {
  /** CPUs of the machine; 0 = not known. */
  readonly machine: number;
  /** Usable by the main process: affinity and quota respected; may be fractional with a quota. */
  readonly usable: number;
  readonly quota?: number;
  readonly allowed?: number;
  /** Mean share of idle time of the usable CPUs in the window, 0…1; absent = not known. */
  readonly idleShare?: number;
  readonly basis: string;
}

/** Another rank of the same job, for comparison. */
export interface SiblingFacts {
  /** As `Rank.label`. */
  readonly label: string;
  /** Its phases over its own window; they sum to `ns`. */
  readonly split: PhaseSplit;
  readonly ns: number;
  /** Its steps, 0 = not found. */
  readonly steps: number;
  /** As `RankFacts.unprovenNs`. */
  readonly unprovenNs: number;
}

/** What a rank did that made it the last, where the others did less of it. */
export interface LateReason {
  /** `waiting for input`, `sleeping on purpose in pause (train.py:98)`. */
  readonly text: string;
  /** What it is, without the place: two ranks may be late for one reason. */
  readonly kind: LateKind;
  /** Before each collective to which it came last: of the rank, and the median of the others, ns. */
  readonly ownNs: number;
  readonly othersNs: number;
}

/** A kind of host time, or what else a loop's time goes to. */
export type LateKind =
  | Exclude<HostKind, 'none'>
  | 'input'
  | 'cpu'
  | 'h2d'
  | 'cuda'
  | 'work'
  | 'wait';

/** One rank of the job, as collectives show it. */
export interface LateRank {
  readonly label: string;
  readonly isSelf: boolean;
  /** To how many of the collectives it came last. */
  readonly last: number;
  /** How long the rank that is judged waited for it in collectives, ns. */
  readonly costNs: number;
  /** How long every other rank waited for it, ns. */
  readonly allCostNs: number;
  readonly why: () => LateReason | undefined;
}

/** Who came last to the collectives of a job's ranks, of those on one host. */
export interface CollectiveFacts {
  /** Collectives of which that is known. */
  readonly known: number;
  /** How many of them make up nine tenths of the time that ranks waited for the last. */
  readonly most: number;
  readonly ranks: readonly LateRank[];
  /** The one that all waited for, where it is clearly one, and to how many of `most` it came last. */
  readonly leader?: { readonly rank: LateRank; readonly times: number };
}

export interface RankFacts {
  readonly trace: Trace;
  readonly rank: Rank;
  /** Its place in the list of ranks. */
  readonly index: number;
  readonly allRanks: readonly Rank[];
  /** The place of its job among all. */
  readonly job: number;
  /** The other ranks of its job, in the order of `allRanks`. */
  readonly siblings: readonly SiblingFacts[];
  readonly window: TimeSpan;
  readonly steps: StepSummary;
  readonly starvation: Starvation;
  readonly split: PhaseSplit;
  /** Of its own time, ns in waits that ended with collectives of other ranks, and that nothing else explains. */
  readonly unprovenNs: number;
  /** Absent where no collective is known to be of several ranks. */
  readonly collectives?: CollectiveFacts;
  /** Whether input wait can be told from other host time: without, its 0 means nothing. */
  readonly inputKnown: boolean;
  readonly costs: readonly CostCell[];
  /** As `InputCauses.ahead`. */
  readonly ahead: number;
  /** When the loop was in no CUDA call and waited for no input: its phase `other`. */
  readonly hostTime: Spans;
  /** What that went to. */
  readonly host: HostTime;
  /** When it evaluated, by the stacks of its CUDA calls. */
  readonly evaluations: EvaluationRuns;
  /** How often moments and waits of that time come, by the steps that they lie in; undefined where that is not known. */
  repeats(evidence: readonly number[]): Repeats | undefined;
  /** Whether they take longer and longer over the run. */
  hostGrowth: ReturnType<typeof hostGrowthIn>;
  /** How often rows of a table come: calls and waits that were recorded one by one. */
  rowsRepeat: ReturnType<typeof rowsRepeatIn>;
  readonly main: StateTotals;
  readonly generations: readonly WorkerGeneration[];
  /** Of every generation that lived in the window. */
  readonly workers: readonly WorkerFacts[];
  readonly cpus: CpuFacts;
  /** H2D copies above 64 KiB by memory. */
  readonly h2d: readonly CopyGroup[];
  /** Who ran while the main thread or that of a worker was runnable: not their other threads, on which the loop does not wait. */
  readonly neighbours: readonly {
    readonly process: number;
    readonly relation: 'own-rank' | 'own-job' | 'other' | 'kernel' | 'recorder';
    readonly ns: number;
    readonly events: EventRefs;
  }[];
  /** Lines in which these threads were sampled within the window. */
  hotLines(threads: readonly number[]): readonly HotLine[];
}
