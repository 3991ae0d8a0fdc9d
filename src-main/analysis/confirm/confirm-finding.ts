import type { Confirmation, EarlierFinding } from '../../shared/answers/confirmation.ts';
import type { Finding } from '../../shared/answers/diagnosis.ts';
import { runDifferences } from '../../shared/answers/run-differences.ts';
import { stepChange } from '../../shared/answers/step-change.ts';
import type { TraceSummary } from '../../shared/answers/summary.ts';
import { whyUnseen } from '../../shared/answers/unseen.ts';
import type { Trace } from '../../shared/model/trace.ts';
import { mean } from '../../shared/numbers/block-bootstrap.ts';
import { upperFirst } from '../../shared/text/text.ts';
import { formatDuration, formatShare } from '../../shared/text/units.ts';
import { changeText } from '../../shared/words/comparison-words.ts';
import { type Diagnosed, diagnose } from '../findings/diagnose.ts';
import { rules } from '../findings/rules.ts';
import { unseenFindings } from '../findings/unseen-findings.ts';
import { comparedRun } from '../run/run-summary.ts';

type JudgedRank = Diagnosed['ranks'][number];

/** The first run and the second, each of the rank that is judged. */
type RunsOf = readonly [EarlierFinding['run'], EarlierFinding['run']];

/** With less of its cost left than this it is gone, and with less than half it is smaller. Our own choice. */
const GONE_SHARE = 0.1;
const SMALLER_SHARE = 0.5;

/** Judges a finding of another trace in this one. `trace` must have its roles (withRoles). */
export function confirmFinding(
  trace: Trace,
  summary: Pick<TraceSummary, 'beginUnixNs'>,
  before: EarlierFinding,
): Confirmation {
  const { ranks, diagnosis } = diagnose(trace);
  const judged = sameRank(ranks, before);
  const runs: RunsOf = [before.run, comparedRun(trace, summary, judged?.facts.index)];
  const differs = whatDiffers(runs);
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
      figures: stepFigures(runs),
      differs,
    };
  const left = leftOver(before, judged, found);
  const isGone = found === undefined || (before.costNs > 0 && left <= GONE_SHARE);
  return {
    outcome: isGone ? 'gone' : 'still-there',
    sentence: isGone ? goneText(before, judged, found, runs) : leftText(before, left),
    figures: [...costFigures(before, judged, found), ...stepFigures(runs)],
    differs,
  };
}

/** What else than the change may have made the second trace another one, in sentences. */
function whatDiffers([before, after]: RunsOf): string[] {
  const isEarlier = BigInt(after.beginUnixNs) < BigInt(before.beginUnixNs);
  return [
    ...(isEarlier ? ['The second trace was recorded before the first one.'] : []),
    ...runDifferences(before.environment, after.environment).map(
      ({ what, first, second }) => `${what}: ${second} instead of ${first}.`,
    ),
  ];
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

function stepFigures(runs: RunsOf): Confirmation['figures'] {
  const means = runs.map(({ steps }) => steps && formatDuration(mean(steps.durationsNs)));
  const [before, after] = means;
  if (before === undefined || after === undefined) return [];
  return [{ label: 'A step, on average', before, after }];
}

function leftText({ costNs }: EarlierFinding, left: number): string {
  if (costNs <= 0) return 'The second trace has this finding too.';
  if (left < SMALLER_SHARE)
    return `The second trace has it too, at ${formatShare(left, 1)} of its cost: the change helped, and did not end it.`;
  return 'The second trace has it too, and it costs about as much or more: the change did not help, or is not in it.';
}

function goneText(
  before: EarlierFinding,
  judged: JudgedRank,
  found: Finding | undefined,
  [first, second]: RunsOf,
): string {
  const gone = found === undefined ? missingText(before, judged) : 'Hardly any of it is left.';
  if (before.costNs <= 0) return gone;
  const changed = new Set([before.id]);
  const differences = runDifferences(first.environment, second.environment, changed);
  const told = stepChange(first, second, differences);
  if ('why' in told) {
    const isOther = told.change === 'not-comparable';
    const why = isOther
      ? `: they can’t be compared, because these differ: ${told.why}.`
      : `. ${told.why}`;
    return `${gone} Whether that made steps shorter is not known${why}`;
  }
  const [was, is] = [first, second].map(({ steps }) => mean(steps?.durationsNs ?? []));
  const figures = `a mean step takes ${formatDuration(is)} instead of ${formatDuration(was)}: ${changeText(told.interval)}`;
  if (told.change === 'shorter') return `${gone} ${upperFirst(figures)}.`;
  return `${gone} But steps are ${notShorter[told.change]} (${figures}): this finding did not slow the loop, or ${insteadText(before, judged)} took its place.`;
}

const notShorter = {
  longer: 'longer',
  hardly: 'about as long',
  'not-measurable': 'not measurably shorter',
} as const;

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
