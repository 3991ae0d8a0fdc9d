import type { Severity, TraceVerdict } from '../../shared/answers/diagnosis.ts';
import type { Starvation, StepSummary } from '../../shared/answers/steps.ts';

/** What the training loop of one rank is bound by. */
export interface RankVerdict {
  readonly verdict: TraceVerdict;
  readonly severity: Severity;
  /** With figures; the screen shows the verdict's name beside it. */
  readonly sentence: string;
}

/**
 * Thresholds and words of TraceML's final summary 1.7 (github.com/traceopt-ai/traceml): the mean
 * share of the step; INPUT-BOUND and H2D-BOUND from 10 %, critical from 20 %; COMPUTE-BOUND from
 * 90 % where nothing else reaches 10 %; else BALANCED. Its own H2D share is by the GPU's clock; ours
 * is the time in which the training thread is held by a copy.
 */
export const WARN_SHARE = 0.1;
export const CRITICAL_SHARE = 0.2;
export const COMPUTE_SHARE = 0.9;
/** From this much idle time on, exactly known, time in CUDA calls is not the GPU computing. */
export const MAX_IDLE_SHARE = 0.2;
/** Of a process of which it is not known what it does, copies are told from this share on. Our own choice. */
export const MOSTLY_COPIES = 0.5;

export interface VerdictInput {
  readonly steps: StepSummary;
  readonly starvation: Starvation;
  /** Whether input wait can be told from other host time: without, its 0 means nothing. */
  readonly inputKnown: boolean;
}
