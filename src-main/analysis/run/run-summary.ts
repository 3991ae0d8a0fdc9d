import { MAX_RUN_FINDINGS, type RunSummary } from '../../shared/answers/run-summary.ts';
import type { TraceSummary } from '../../shared/answers/summary.ts';
import { flameWeights } from '../../shared/library/view.ts';
import type { Trace } from '../../shared/model/trace.ts';
import { whyWithout } from '../../shared/words/flame-weights.ts';
import { diagnose } from '../findings/diagnose.ts';
import { unseenFindings } from '../findings/unseen-findings.ts';
import { costPerStep } from './cost-per-step.ts';
import { type JudgedRun, judgedRun } from './judged-run.ts';
import { runEnvironment } from './run-environment.ts';
import { runOperations } from './run-operations.ts';
import { type ComparedSteps, runSteps } from './run-steps.ts';

type JudgedRank = NonNullable<JudgedRun['rank']>;

/** What of a run is compared with another; `rank` is the place of the one that is asked for. `trace` must have its roles (withRoles). */
export function runSummary(trace: Trace, summary: TraceSummary, rank?: number): RunSummary {
  const stackWeights = flameWeights.filter((weight) => whyWithout(summary, weight) === undefined);
  return { ...comparedRun(trace, summary, rank), stackWeights };
}

/** The same without what is told of its stacks. */
export function comparedRun(
  trace: Trace,
  summary: Pick<TraceSummary, 'beginUnixNs'>,
  rank?: number,
): Omit<RunSummary, 'stackWeights'> {
  const { rank: judged, compared } = judgedRun(trace, rank);
  const { phases, steps } = compared ?? {};
  const calls = steps && judged && runOperations(trace, judged.facts.rank, steps);
  const { note, kind } = trace.tables.cuda_call.provenance;
  const isLessThanExact = kind !== 'exact' && kind !== 'absent';
  return {
    beginUnixNs: summary.beginUnixNs,
    environment: runEnvironment(trace, judged?.facts, {
      count: steps?.startsNs.length ?? 0,
      h2dBytes: calls?.h2dBytes,
    }),
    ...(phases && steps && { steps: runSteps(phases, steps) }),
    stepsNote: judged?.facts.steps.note ?? 'No training process is in it.',
    operations: calls?.operations ?? [],
    ...(isLessThanExact && { operationsNote: note }),
    findings: judged ? findingsOf(trace, judged, steps) : [],
    unseen: unseenFindings(trace, judged?.facts),
  };
}

function findingsOf(
  trace: Trace,
  { findings, claims }: JudgedRank,
  steps: ComparedSteps | undefined,
): RunSummary['findings'] {
  const { chains } = diagnose(trace).diagnosis;
  return findings.slice(0, MAX_RUN_FINDINGS).map(({ id, title, culprit, rank }) => {
    const chain = chains.find((each) => each.finding === id && each.rank === rank);
    const claim = claims.find((each) => each.id === id);
    return {
      ...{ id, title },
      ...(culprit !== undefined && { culprit }),
      ...(steps && claim && { costPerStepNs: costPerStep(claim, steps) }),
      ...(chain && { times: chain.occurrenceCount }),
    };
  });
}
