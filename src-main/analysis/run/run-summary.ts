import type { Rank } from '../../shared/answers/jobs.ts';
import type { RunRank, RunSummary, RunVerdict } from '../../shared/answers/run-summary.ts';
import { type Phase, phases as phaseNames } from '../../shared/answers/steps.ts';
import type { TraceSummary } from '../../shared/answers/summary.ts';
import { flameWeights } from '../../shared/library/view.ts';
import type { Trace } from '../../shared/model/trace.ts';
import { mean } from '../../shared/numbers/block-bootstrap.ts';
import { whyWithout } from '../../shared/words/flame-weights.ts';
import { diagnose } from '../findings/diagnose.ts';
import { unseenFindings } from '../findings/unseen-findings.ts';
import { callsOfThreads } from '../loop/loop-calls.ts';
import { type JudgedRun, judgedJob, judgedRun } from './judged-run.ts';
import { runEnvironment } from './run-environment.ts';
import { runFindings } from './run-findings.ts';
import { runOperations } from './run-operations.ts';
import { runRoles } from './run-roles.ts';
import { runSteps } from './run-steps.ts';

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
  const job = judgedJob(trace, rank);
  const { ranks, jobs } = job;
  const judged = judgedRun(job, rank);
  const { facts } = judged?.rank ?? {};
  const { phases, steps } = judged?.compared ?? {};
  const calls = steps && facts && runOperations(trace, facts.rank, steps);
  const { note, kind } = trace.tables.cuda_call.provenance;
  const isLessThanExact = kind !== 'exact' && kind !== 'absent';
  return {
    beginUnixNs: summary.beginUnixNs,
    environment: runEnvironment(trace, facts, {
      count: steps?.startsNs.length ?? 0,
      h2dBytes: calls?.h2dBytes,
    }),
    ...(facts && { rank: facts.rank.label }),
    judged: runVerdict(trace, judged),
    jobs,
    ranks: ranks.length > 1 ? ranks.map(runRank) : [],
    ...(phases && steps && { steps: runSteps(phases, steps) }),
    stepsNote: facts?.steps.note ?? 'No training process is in it.',
    ...firstCall(trace, facts?.rank),
    operations: calls?.operations ?? [],
    ...(steps && facts && { roles: runRoles(trace, facts.rank, steps) }),
    ...(isLessThanExact && { operationsNote: note }),
    findings: runFindings(trace, rank === undefined || judged === undefined ? ranks : [judged]),
    unseen: unseenFindings(trace, facts),
  };
}

/** Of several ranks, of the one that is compared; else as the whole trace is judged. */
function runVerdict(trace: Trace, judged: JudgedRun | undefined): RunVerdict {
  const { diagnosis } = diagnose(trace);
  if (judged === undefined || diagnosis.ranks.length < 2)
    return { verdict: diagnosis.verdict, sentence: diagnosis.headline };
  const { verdict, sentence } = judged.rank.summary;
  return { verdict, sentence };
}

/** Of a trace in which no process trains, of whoever makes calls. */
function firstCall(trace: Trace, rank: Rank | undefined): Pick<RunSummary, 'firstCallNs'> {
  const { startNs } = trace.tables.cuda_call.columns;
  const firstCallNs =
    rank === undefined ? startNs[0] : callsOfThreads(trace, rank.cudaThreads).startsNs.nsAt(0);
  return firstCallNs === undefined ? {} : { firstCallNs };
}

function runRank({ rank: { facts }, compared }: JudgedRun): RunRank {
  const { label, rank } = facts.rank;
  const told = compared && runSteps(compared.phases, compared.steps);
  return {
    label,
    ...(rank !== undefined && { rank }),
    ...(told && {
      stepNs: mean(told.durationsNs),
      parts: Object.fromEntries(
        phaseNames.map((phase) => [phase, mean(told.parts[phase])]),
      ) as Record<Phase, number>,
    }),
  };
}
