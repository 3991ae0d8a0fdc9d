import {
  MAX_RUN_FINDINGS,
  type RunRole,
  type RunSummary,
} from '../../shared/answers/run-summary.ts';
import type { TraceSummary } from '../../shared/answers/summary.ts';
import type { Trace } from '../../shared/model/trace.ts';
import { type Diagnosed, diagnose } from '../findings/diagnose.ts';
import type { RankFacts } from '../findings/facts/facts.ts';
import { phasesOf } from '../steps/phases.ts';
import type { StateTotals } from '../threads/state-totals.ts';
import { runEnvironment } from './run-environment.ts';
import { runOperations } from './run-operations.ts';
import { comparedSteps, runSteps } from './run-steps.ts';

type JudgedRank = Diagnosed['ranks'][number];

/** What of a run is compared with another. `trace` must have its roles (withRoles). */
export function runSummary(
  trace: Trace,
  { beginUnixNs }: Pick<TraceSummary, 'beginUnixNs'>,
): RunSummary {
  const { ranks, diagnosis } = diagnose(trace);
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
    ...(judged && { rank: judged.facts.rank.label }),
    verdict: judged?.summary.verdict ?? 'unknown',
    headline: diagnosis.headline,
    ...(phases && steps && { steps: runSteps(phases, steps) }),
    stepsNote: judged?.facts.steps.note ?? 'No training process is in it.',
    operations: calls?.operations ?? [],
    ...(isLessThanExact && { operationsNote: note }),
    roles: judged ? rolesOf(judged.facts) : [],
    findings: judged ? findingsOf(judged) : [],
  };
}

function findingsOf({ findings, facts }: JudgedRank): RunSummary['findings'] {
  const { count } = facts.steps;
  return findings.slice(0, MAX_RUN_FINDINGS).map((finding) => {
    const { id, title, culprit, costNs, costShare, confidence, severity } = finding;
    return {
      ...{ id, title, costNs, costShare, confidence, severity },
      ...(culprit !== undefined && { culprit }),
      ...(count > 0 && { costPerStepNs: costNs / count }),
    };
  });
}

function rolesOf({ main, workers, steps }: RankFacts): readonly RunRole[] {
  const role = (name: string, states: readonly StateTotals[]) =>
    states.length === 0 ? [] : [roleOf(name, states, steps.count)];
  return [
    ...role('Training thread', [main]),
    ...role(
      'DataLoader workers',
      workers.map(({ states }) => states),
    ),
  ];
}

function roleOf(role: string, states: readonly StateTotals[], steps: number): RunRole {
  const sum = (of: (state: StateTotals) => number) =>
    states.reduce((all, state) => all + of(state), 0);
  const knownNs = sum(({ ns, unknownNs }) => ns - unknownNs);
  /** A figure that is not known of one of them is not known of all. */
  const aStep = (of: (state: StateTotals) => number) =>
    steps === 0 || states.some((state) => of(state) < 0) ? undefined : sum(of) / steps;
  const figures = {
    switches: aStep((state) => state.switches),
    preemptions: aStep((state) => state.preemptions),
    minorFaults: aStep((state) => state.minorFaults),
    majorFaults: aStep((state) => state.majorFaults),
  };
  const known = Object.entries(figures).filter(([, value]) => value !== undefined);
  return {
    ...{ role, threads: states.length },
    ...(knownNs > 0 && {
      runningShare: sum(({ runningNs }) => runningNs) / knownNs,
      runnableShare: sum(({ runnableNs }) => runnableNs) / knownNs,
    }),
    ...Object.fromEntries(known),
  };
}
