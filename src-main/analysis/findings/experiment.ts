import type { Experiment } from '../../shared/answers/diagnosis.ts';
import { profileSpecs } from '../../shared/capture-modes/profiles.ts';
import { defaultCapture } from '../../shared/remote/capture-request.ts';
import { formatDuration } from '../../shared/text/units.ts';
import type { RankFacts } from './facts/facts.ts';
import { windowNs } from './facts/job-shape.ts';

const SECOND_NS = 1e9;
/** A few per cent between two recordings are noise: less of a gain confirms nothing. */
const NOISE_SHARE = 0.03;

/** How a finding of this cost is confirmed or refuted. */
export function experimentFor(
  facts: RankFacts,
  costNs: number,
  gainUpToNs: number | undefined,
): Experiment {
  return { expects: expectation(facts, costNs, gainUpToNs), capture: captureAgain(facts) };
}

function expectation(facts: RankFacts, costNs: number, gainUpToNs: number | undefined): string {
  if (costNs <= 0) return 'If it is right, the second trace no longer has this finding.';
  const { typical, count, serves } = facts.steps;
  if (serves)
    return `If it is right, its ${formatDuration(costNs)} of ${formatDuration(windowNs(facts))} are gone in a second trace with as many requests. If they are gone and an answer takes as long, this was not what slowed it.`;
  if (typical === undefined || count === 0)
    return `If it is right, its ${formatDuration(costNs)} of ${formatDuration(windowNs(facts))} are gone in the second trace. If they are gone and the loop is no faster, this was not what slowed it.`;
  const mean = formatDuration(typical.meanNs);
  const leastNs = typical.meanNs - (gainUpToNs ?? 0) / count;
  const isWorth = gainUpToNs !== undefined && leastNs < typical.meanNs * (1 - NOISE_SHARE);
  const best = isWorth ? `, ${formatDuration(Math.max(0, leastNs))} at best` : '';
  return `If it is right, its ${formatDuration(costNs / count)} a step are gone in the second trace, and a step takes less than ${mean}${best}. If they are gone and a step takes as long as before, this was not what slowed it.`;
}

/** As much is recorded as in this trace, for at least as long. */
function captureAgain({ trace }: RankFacts): string {
  const wanted = profileSpecs.filter(({ source }) =>
    trace.capabilities.some(({ name, available }) => name === source && available),
  );
  const profiles = wanted.map(({ id }) => id).join(',');
  const seconds = Math.max(defaultCapture.durationS, Math.ceil(trace.meta.lengthNs / SECOND_NS));
  return [
    `stalltrace capture HOST --duration ${seconds}s`,
    ...(profiles === '' ? [] : [`--profile ${profiles}`]),
    '-- COMMAND…',
  ].join(' ');
}
