import type { Diagnosis } from '../../shared/answers/diagnosis.ts';
import type { CallExplanation } from '../../shared/answers/explanation.ts';
import type { TraceSummary } from '../../shared/answers/summary.ts';
import { sourceFindingJson } from './info-json.ts';
import { type NotReal, notRealJson } from './not-real.ts';

/** The JSON of `explain --json`: documented in docs/cli.md, fields are added, never renamed. */
export function explainTraceJson(
  diagnosis: Diagnosis,
  told: NotReal & Pick<TraceSummary, 'sourceFindings' | 'clocks'>,
) {
  const { verdict, severity, headline, findings, chains, ranks, costs, windowNs, cannotTell } =
    diagnosis;
  return {
    verdict,
    severity,
    headline,
    ...notRealJson(told),
    ...(told.clocks !== undefined && { clocks: told.clocks }),
    windowNs,
    ...(diagnosis.isSelection && { isSelection: true }),
    costs,
    ...(diagnosis.clues !== undefined && { clues: diagnosis.clues }),
    findings,
    chains,
    steps: ranks.map(({ rank, verdict: own, sentence, steps, starvation, lateness }) => ({
      rank: rank.label,
      verdict: own,
      sentence,
      ...steps,
      starvation,
      ...(lateness && { lateness }),
    })),
    cannotTell,
    sourceFindings: told.sourceFindings.map(sourceFindingJson),
  };
}

/** The JSON of `explain --slowest OP --json` and `--call ROW --json`. */
export function explainCallJson(explanation: CallExplanation, told: NotReal) {
  const { call, headline, accounting, contention, waitChain, memory, fixes, cannotTell } =
    explanation;
  const { rate, effectiveRate, hostMemory, rank, gpuWork, gpuMeanwhile } = explanation;
  const { contenders, ...time } = contention;
  return {
    call,
    headline,
    ...notRealJson(told),
    accounting,
    contenders,
    contention: time,
    waitChain,
    ...(gpuWork !== undefined && { gpuWork }),
    ...(gpuMeanwhile !== undefined && { gpuMeanwhile }),
    faults: memory,
    hostMemory,
    ...(rate !== undefined && { rate }),
    ...(effectiveRate !== undefined && { effectiveRate }),
    rank,
    fixes,
    cannotTell,
  };
}
