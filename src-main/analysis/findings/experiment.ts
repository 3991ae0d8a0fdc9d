import type { Experiment } from '../../shared/answers/diagnosis.ts';
import { NOISE_SHARE } from '../../shared/answers/step-change.ts';
import { formatDuration } from '../../shared/text/units.ts';
import { stepKindsText } from '../../shared/words/step-lengths.ts';
import { captureAgain } from './capture-again.ts';
import type { RankFacts } from './facts/facts.ts';
import { windowNs } from './facts/job-shape.ts';

/** How a finding of this cost is confirmed or refuted. */
export function experimentFor(
  facts: RankFacts,
  costNs: number,
  gainUpToNs: number | undefined,
): Experiment {
  return {
    expects: expectation(facts, costNs, gainUpToNs),
    capture: captureAgain(facts.trace, facts.rank.process),
  };
}

function expectation(facts: RankFacts, costNs: number, gainUpToNs: number | undefined): string {
  if (costNs <= 0) return 'If this finding is right, the second trace no longer has it.';
  const { typical, count, serves } = facts.steps;
  if (serves)
    return `If this finding is right, its ${formatDuration(costNs)} of ${formatDuration(windowNs(facts))} are gone in a second trace with as many requests. If they are gone but an answer takes as long as before, this finding did not slow it.`;
  if (typical === undefined || count === 0)
    return `If this finding is right, its ${formatDuration(costNs)} of ${formatDuration(windowNs(facts))} are gone in the second trace. If they are gone but the loop is no faster, this finding did not slow it.`;
  const mean = formatDuration(typical.meanNs);
  const leastNs = typical.meanNs - (gainUpToNs ?? 0) / count;
  const isWorth = gainUpToNs !== undefined && leastNs < typical.meanNs * (1 - NOISE_SHARE);
  const best = isWorth ? `, ${formatDuration(Math.max(0, leastNs))} at best` : '';
  const gone = `its ${formatDuration(costNs / count)} a step`;
  if (typical.kinds === undefined)
    return `If this finding is right, ${gone} are gone in the second trace, and a step takes less than ${mean}${best}. If they are gone but a step takes as long as before, this finding did not slow it.`;
  const now = stepKindsText(typical.kinds);
  return `If this finding is right, ${gone} on average are gone in the second trace. Now a step takes ${mean} on average (${now}); in the second trace it takes less${best}. If they are gone but the steps take as long as before on average, this finding did not slow them.`;
}
