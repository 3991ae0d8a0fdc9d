import { MAX_RUN_FINDINGS, type RunSummary } from '../../shared/answers/run-summary.ts';
import type { TraceSummary } from '../../shared/answers/summary.ts';
import type { Trace } from '../../shared/model/trace.ts';
import { type Diagnosed, diagnose } from '../findings/diagnose.ts';
import { phasesOf } from '../steps/phases.ts';
import { runEnvironment } from './run-environment.ts';
import { runOperations } from './run-operations.ts';
import { comparedSteps, runSteps } from './run-steps.ts';

type JudgedRank = Diagnosed['ranks'][number];

/** What of a run is compared with another. `trace` must have its roles (withRoles). */
export function runSummary(
  trace: Trace,
  { beginUnixNs }: Pick<TraceSummary, 'beginUnixNs'>,
): RunSummary {
  const { ranks } = diagnose(trace);
  const judged = ranks.find(({ facts }) => facts.steps.count > 0) ?? ranks.at(0);
  const phases = judged && phasesOf(trace, judged.facts.rank);
  // Of a selection nobody knows what a step went to, nor of a server what a step is.
  const isWhole = judged !== undefined && !judged.facts.steps.isSelection;
  const steps = isWhole && phases ? comparedSteps(phases) : undefined;
  const calls = steps && judged && runOperations(trace, judged.facts.rank, steps);
  const { note, kind } = trace.tables.cuda_call.provenance;
  const isLessThanExact = kind !== 'exact' && kind !== 'absent';
  return {
    beginUnixNs,
    environment: runEnvironment(trace, judged?.facts, {
      count: steps?.startsNs.length ?? 0,
      h2dBytes: calls?.h2dBytes,
    }),
    ...(phases && steps && { steps: runSteps(phases, steps) }),
    stepsNote: judged?.facts.steps.note ?? 'No training process is in it.',
    operations: calls?.operations ?? [],
    ...(isLessThanExact && { operationsNote: note }),
    findings: judged ? findingsOf(judged) : [],
  };
}

function findingsOf({ findings, facts }: JudgedRank): RunSummary['findings'] {
  const { count } = facts.steps;
  return findings.slice(0, MAX_RUN_FINDINGS).map((finding) => {
    const { id, title, culprit, costNs } = finding;
    return {
      ...{ id, title },
      ...(culprit !== undefined && { culprit }),
      ...(count > 0 && { costPerStepNs: costNs / count }),
    };
  });
}
