import { MAX_RUN_FINDINGS, type RunFinding } from '../../shared/answers/run-summary.ts';
import type { Trace } from '../../shared/model/trace.ts';
import { diagnose } from '../findings/diagnose.ts';
import { costPerStep } from './cost-per-step.ts';
import type { JudgedRun } from './judged-run.ts';

/** A finding that several ranks have, with what it costs each of them. */
interface Told {
  readonly finding: RunFinding;
  readonly labels: readonly string[];
}

/**
 * What was found of these ranks, costliest first: of several that have it, as it is where it costs most. That all is
 * well with something is the verdict's to say: gone or new, it would be no news.
 */
export function runFindings(trace: Trace, ranks: readonly JudgedRun[]): readonly RunFinding[] {
  const told = new Map<string, Told>();
  for (const run of ranks) {
    const { label } = run.rank.facts.rank;
    for (const finding of findingsOf(trace, run)) {
      const key = JSON.stringify([finding.id, finding.culprit]);
      const before = told.get(key);
      const costs = before !== undefined && costOf(before.finding) >= costOf(finding);
      told.set(key, {
        finding: costs ? before.finding : finding,
        labels: [...(before?.labels ?? []), label],
      });
    }
  }
  const inOrder = [...told.values()].sort((a, b) => costOf(b.finding) - costOf(a.finding));
  return inOrder
    .slice(0, MAX_RUN_FINDINGS)
    .map(({ finding, labels }) =>
      labels.length < ranks.length ? { ...finding, ranks: labels } : finding,
    );
}

const costOf = ({ costPerStepNs = 0 }: RunFinding): number => costPerStepNs;

function findingsOf(trace: Trace, { rank, compared }: JudgedRun): readonly RunFinding[] {
  const { chains } = diagnose(trace).diagnosis;
  return rank.findings.flatMap(({ id, title, culprit, rank: index }) => {
    const chain = chains.find((each) => each.finding === id && each.rank === index);
    const claim = rank.claims.find((each) => each.id === id);
    if (claim?.judgement.isFine === true) return [];
    return {
      ...{ id, title },
      ...(culprit !== undefined && { culprit }),
      ...(compared && claim && { costPerStepNs: costPerStep(claim, compared.steps) }),
      ...(chain && { times: chain.occurrenceCount }),
    };
  });
}
