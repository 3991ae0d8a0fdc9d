import type { Finding, RankDiagnosis } from '../../shared/answers/diagnosis.ts';
import type { Trace } from '../../shared/model/trace.ts';
import { formatDuration, formatShare, plural } from '../../shared/text/units.ts';
import { summedVerdict } from '../steps/summed-calls.ts';
import { costAsMuch } from './order-findings.ts';

/** A finding that costs less than this share of its rank's time is told in the list only. Our own choice. */
const WORTH_NAMING_SHARE = 0.05;

/** What is told first: of one rank, which of several it is, and what of its wait has no known cause. */
interface Lead {
  /** The verdict's, or what keeps the others waiting. */
  readonly sentence: string;
  /** Index into the ranks. */
  readonly rank: number;
  /** Whether the sentence names the rank. */
  readonly isNamed: boolean;
  readonly unknown: string | undefined;
  /** What else is not known, where that is more than a finding explains. */
  readonly larger?: string | undefined;
}

/** The verdict on the rank that waits most, then the finding that costs most, if it is worth that. */
export function diagnosisHeadline(
  trace: Trace,
  lead: Lead | undefined,
  ranks: readonly RankDiagnosis[],
  findings: readonly Finding[],
): string {
  if (lead === undefined) {
    const summed = trace.tables.cuda_call.rows === 0 ? summedVerdict(trace, undefined) : undefined;
    if (summed !== undefined) return summed;
    return trace.tables.cuda_call.rows === 0
      ? 'This trace holds no CUDA calls, so it cannot tell what the GPU waited for.'
      : 'This trace does not say which process made its CUDA calls.';
  }
  return [
    ranks.length > 1 && !lead.isNamed ? ofRank(lead, ranks) : lead.sentence,
    ...(lead.unknown === undefined ? meanwhile(lead, ranks, findings) : [lead.unknown]),
    ...causeSentences(lead.rank, ranks, findings),
    ...(lead.larger === undefined ? [] : [lead.larger]),
  ].join(' ');
}

/** `rank 0 · pid 9: Waiting … The verdict on 3 of 4 ranks is the same.` */
function ofRank({ sentence, rank }: Lead, ranks: readonly RankDiagnosis[]): string {
  const own = ranks[rank];
  const isSame = (other: RankDiagnosis) =>
    own.verdict === 'unknown' ? other.sentence === own.sentence : other.verdict === own.verdict;
  const same = ranks.filter((other) => other === own || isSame(other)).length;
  const others = `The verdict is the same for ${same} of ${plural(ranks.length, 'rank')}.`;
  return `${own.rank.label}: ${sentence} ${others}`;
}

/** Findings that explain this share of a wait for input need no more words. Our own choice, as the next. */
const EXPLAINED_SHARE = 0.5;
/** What went on for less of that wait is not what it was for. */
const TELLING_SHARE = 0.25;

/** What went on while the loop waited for input, where findings explain little of that. */
function meanwhile(
  { rank }: Lead,
  ranks: readonly RankDiagnosis[],
  findings: readonly Finding[],
): string[] {
  // Of several ranks it would not be clear whose wait is meant.
  if (ranks.length > 1) return [];
  const { verdict, inputTime, steps } = ranks[rank];
  const [most] = inputTime?.parts ?? [];
  if (verdict !== 'input-bound' || inputTime === undefined || most === undefined) return [];
  const toldNs = findings
    .filter((finding) => finding.rank === rank)
    .reduce((sum, { costNs }) => sum + costNs, 0);
  if (toldNs >= inputTime.ns * EXPLAINED_SHARE || most.ns < inputTime.ns * TELLING_SHARE) return [];
  const share = formatShare(most.ns, steps.window[1] - steps.window[0]);
  return [`While it waited, for ${share} of the time, ${most.text}.`];
}

/** What the headline says of the finding that costs most, if it is worth that: `lead` is the rank that it speaks of. */
export function causeSentences(
  lead: number,
  ranks: readonly RankDiagnosis[],
  findings: readonly Finding[],
): readonly string[] {
  const [first, ...others] = findings;
  if (first === undefined || first.costNs === 0 || first.costShare < WORTH_NAMING_SHARE) return [];
  const share = formatShare(first.costShare, 1);
  const cost = formatDuration(first.costNs);
  if (ranks.length === 1)
    return [`${first.title}: ${share} of the time (${cost}).`, ...asMuch(first, others)];
  const whose = first.rank === lead ? 'its time' : `the time of ${ranks[first.rank]?.rank.label}`;
  const having = ranksWith(first, findings);
  return [
    `${first.title}: ${share} of ${whose} (${cost}), found in ${having} of ${plural(ranks.length, 'rank')}.`,
  ];
}

/** In how many ranks a finding of that id costs something. */
export function ranksWith({ id }: Finding, findings: readonly Finding[]): number {
  return new Set(findings.filter((one) => one.id === id && one.costNs > 0).map((one) => one.rank))
    .size;
}

/** Which of two that cost about as much is told first means nothing: they are told together. */
function asMuch(first: Finding, [second]: readonly Finding[]): string[] {
  if (second === undefined || !costAsMuch(first, second)) return [];
  return [`About as much: ${second.title}, ${formatShare(second.costShare, 1)}.`];
}
