import { NOISE_SHARE } from '../../../shared/answers/comparison.ts';
import type { Confirmation, EarlierFinding } from '../../../shared/answers/confirmation.ts';
import type { Finding } from '../../../shared/answers/diagnosis.ts';
import type { TraceSummary } from '../../../shared/answers/summary.ts';
import { whyUnseen } from '../../../shared/answers/unseen.ts';
import type { Trace } from '../../../shared/model/trace.ts';
import { formatDuration, formatShare } from '../../../shared/text/units.ts';
import { type Diagnosed, diagnose } from '../diagnose.ts';
import { rules } from '../rules.ts';
import { unseenFindings } from './unseen-findings.ts';
import { whatDiffers } from './what-differs.ts';

type JudgedRank = Diagnosed['ranks'][number];

/** With less of its cost left than this it is gone, and with less than half it is smaller. Our own choice. */
const GONE_SHARE = 0.1;
const SMALLER_SHARE = 0.5;

/** Judges a finding of another trace in this one. `trace` must have its roles (withRoles). */
export function confirmFinding(
  trace: Trace,
  summary: Pick<TraceSummary, 'gpus' | 'hosts' | 'beginUnixNs'>,
  before: EarlierFinding,
): Confirmation {
  const { ranks, diagnosis } = diagnose(trace);
  const differs = whatDiffers(before, summary, ranks.length);
  const judged = sameRank(ranks, before);
  if (judged === undefined) {
    const because = diagnosis.cannotTell[0]?.because ?? 'No training process is in it.';
    return { outcome: 'cannot-tell', sentence: because, figures: [], differs };
  }
  const found = judged.findings.find((finding) => isSame(finding, before));
  const unseen = found === undefined ? whyNotFound(trace, judged, before) : undefined;
  if (unseen !== undefined)
    return {
      outcome: 'cannot-tell',
      sentence: unseen,
      figures: stepFigures(before, judged),
      differs,
    };
  const left = leftOver(before, judged, found);
  const isGone = found === undefined || (before.costNs > 0 && left <= GONE_SHARE);
  return {
    outcome: isGone ? 'gone' : 'still-there',
    sentence: isGone ? goneText(before, judged, found) : leftText(before, left),
    figures: [...costFigures(before, judged, found), ...stepFigures(before, judged)],
    differs,
  };
}

/** The rank of the same number, else in the same place. */
function sameRank(ranks: readonly JudgedRank[], before: EarlierFinding): JudgedRank | undefined {
  const numbered = ranks.find(({ facts }) => facts.rank.rank === before.rank);
  const isNumbered = before.rank !== undefined && numbered !== undefined;
  return isNumbered ? numbered : (ranks[before.rankIndex] ?? ranks[0]);
}

function isSame({ id, culprit }: Finding, before: EarlierFinding): boolean {
  const isOther = before.culprit !== undefined && culprit !== undefined;
  return id === before.id && (!isOther || culprit === before.culprit);
}

/** Why a finding that is not found may be there all the same; undefined = it would be seen. */
function whyNotFound(
  trace: Trace,
  { facts }: JudgedRank,
  before: EarlierFinding,
): string | undefined {
  if (!rules.some(({ id }) => id === before.id))
    return `This version of Stalltrace knows no finding “${before.id}”.`;
  return whyUnseen(unseenFindings(trace, facts), before);
}

/** The cost now, of that before, a step where both have steps, else as shares of the time. */
function leftOver(before: EarlierFinding, judged: JudgedRank, found: Finding | undefined): number {
  const [was, is] = rates(before, judged, found);
  return was > 0 ? is / was : Infinity;
}

function rates(
  before: EarlierFinding,
  { facts }: JudgedRank,
  found: Finding | undefined,
): readonly [before: number, after: number] {
  const { typical, count } = facts.steps;
  const costNs = found?.costNs ?? 0;
  if (before.steps !== undefined && typical !== undefined)
    return [before.costNs / before.steps.count, costNs / count];
  const windowNs = facts.window[1] - facts.window[0];
  return [before.costNs / before.windowNs, costNs / windowNs];
}

function costFigures(
  before: EarlierFinding,
  judged: JudgedRank,
  found: Finding | undefined,
): Confirmation['figures'] {
  if (before.costNs <= 0) return [];
  const { window, steps } = judged.facts;
  const after = (text: string) => (found === undefined ? 'not found' : text);
  const [was, is] = rates(before, judged, found);
  const aStep = {
    label: 'Its cost a step',
    before: formatDuration(was),
    after: after(formatDuration(is)),
  };
  const share = {
    label: 'Its share of the time',
    before: formatShare(before.costNs, before.windowNs),
    after: after(formatShare(found?.costNs ?? 0, window[1] - window[0])),
  };
  const hasSteps = before.steps !== undefined && steps.typical !== undefined;
  return hasSteps ? [share, aStep] : [share];
}

function stepFigures(before: EarlierFinding, { facts }: JudgedRank): Confirmation['figures'] {
  const { typical } = facts.steps;
  if (before.steps === undefined || typical === undefined) return [];
  const [was, is] = [before.steps.meanNs, typical.meanNs].map(formatDuration);
  return [{ label: 'A step, on average', before: was, after: is }];
}

function leftText({ costNs }: EarlierFinding, left: number): string {
  if (costNs <= 0) return 'The second trace has this finding too.';
  if (left < SMALLER_SHARE)
    return `The second trace has it too, at ${formatShare(left, 1)} of its cost: the change helped, and did not end it.`;
  return 'The second trace has it too, and it costs about as much or more: the change did not help, or is not in it.';
}

function goneText(before: EarlierFinding, judged: JudgedRank, found: Finding | undefined): string {
  const gone = found === undefined ? missingText(before, judged) : 'Hardly any of it is left.';
  const meanNs = judged.facts.steps.typical?.meanNs;
  if (before.costNs <= 0 || before.steps === undefined || meanNs === undefined) return gone;
  if (meanNs <= before.steps.meanNs * (1 - NOISE_SHARE))
    return `${gone} A step takes ${formatDuration(meanNs)} instead of ${formatDuration(before.steps.meanNs)}.`;
  return `${gone} But a step takes as long as before or longer: it was not what slowed the loop, or ${insteadText(before, judged)} took its place.`;
}

function missingText(before: EarlierFinding, { findings }: JudgedRank): string {
  const other = findings.find(({ id }) => id === before.id)?.culprit;
  const now = other === undefined || other === before.culprit ? '' : ` It is now about ${other}.`;
  return `The second trace does not have it any more.${now}`;
}

function insteadText(before: EarlierFinding, { findings }: JudgedRank): string {
  const first = findings.find((finding) => finding.costNs > 0 && !isSame(finding, before));
  if (first === undefined) return 'something else';
  return `another cause (“${first.title}”, ${formatShare(first.costShare, 1)} of the time)`;
}
