import type { CannotTell } from '../../shared/answers/basis.ts';
import type { Evidence, Finding, Fix } from '../../shared/answers/diagnosis.ts';
import type { Trace } from '../../shared/model/trace.ts';
import type { CostCell, RankFacts } from './facts/facts.ts';

/** What a rule found; what it costs is worked out by diagnose() from the cells it claims. */
export interface Judgement {
  readonly title: string;
  /** As `Finding.culprit`: without figures, lines and numbers of processes. */
  readonly culprit?: string;
  /** `save_model (train.py:51)`: the line of the job's code that its fix is for, where that is known. */
  readonly place?: string;
  /** Figures filled in; the cost is said by the screen. */
  readonly sentence: string;
  readonly confidence: Finding['confidence'];
  readonly evidence: readonly Evidence[];
  /** That it takes longer and longer over the run, where that is so. */
  readonly growth?: Evidence | undefined;
  /** Threads whose hot lines belong to the finding. */
  readonly hotThreads?: readonly number[];
  /**
   * The wall time it is responsible for. A cell that two findings claim is the first one's, in the
   * order of `rules`; a finding whose cells are all taken has no cost. Without `claims` it is `info`.
   */
  readonly claims?: (cell: CostCell) => boolean;
  /**
   * Set where another cause of the same time may be there too, 0…1: so much of each cell is this one's, and those
   * after it that claim the cell have the rest. Where none does, all of it is this one's.
   */
  readonly claimShare?: number;
  /** So much of a claimed cell is known to be this one's, 0…1; the rest is the next one's, or nobody's. All of it unless said. */
  readonly claimPart?: (cell: CostCell) => number;
  /** Claimed cells that are no occurrences of it: waits for the CPUs that its work takes, wherever they are. */
  readonly beside?: (cell: CostCell) => boolean;
  /** Words of the sentence that stand only where such cells are its own: of those that another finding has, that one tells. */
  readonly onlyWith?: { readonly text: string; readonly cells: (cell: CostCell) => boolean };
  /**
   * Share of the claimed time that the fix can win back at most; 1 unless said. More than 1 where the claimed time is known
   * from samples, so that it may be longer.
   */
  readonly gainShare?: number;
  /** What else can go with the cause: `own` unless said; `unknown` = the trace bounds it by nothing. */
  readonly gain?: Gain | 'unknown';
  readonly fix: Fix;
  /** It says what is no cause: there is nothing to change, and nothing to confirm. */
  readonly isFine?: true;
  /** The levels of its causal chain; the cells' spans are the occurrences. */
  readonly chain: { readonly system: Evidence; readonly host: Evidence; readonly cuda: Evidence };
}

/** How far the fix of a cause reaches, for the most that it can win back (gain-bound.ts). */
export interface Gain {
  /**
   * What can go: `own`, the claimed time alone; `waits`, every wait for a batch or a CPU too: a faster loader may be
   * ahead of the loop from then on, and workers that do less leave it the CPUs.
   */
  readonly reach: 'own' | 'waits';
  /** Where loop and workers compute as much as before: the CPUs that do it. */
  readonly cpus?: number;
  /** What can go besides, in time that the cells count for something else, ns. */
  readonly moreNs?: number;
  /** Of the time that the GPU computed, as much may go too, ns. */
  readonly gpuNs?: number;
  /** The loop can get no shorter than this for what the rule knows, ns. */
  readonly floorNs?: number;
}

/** What a rule cannot do without, and the question that stays open where it is missing. */
export interface Need {
  readonly question: string;
  /** Why the trace cannot answer it and which capture would; undefined = it can. */
  readonly missing: (trace: Trace) => string | undefined;
}

/** One row of docs/findings.md. Pure; says nothing rather than something that may be wrong. */
export interface Rule {
  readonly id: string;
  readonly needs: readonly Need[];
  /** What its finding makes one ask next, and no trace answers. */
  readonly leavesOpen?: CannotTell;
  readonly judge: (facts: RankFacts) => Judgement | undefined;
}
