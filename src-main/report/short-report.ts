import { causeSentences, ranksWith } from '../analysis/findings/diagnosis-headline.ts';
import { codeBlock, codeSpan, escapeParagraph, escapeSentence } from '../markdown/escape.ts';
import type { Clue, Diagnosis, Finding } from '../shared/answers/diagnosis.ts';
import type { CallExplanation } from '../shared/answers/explanation.ts';
import { formatDuration, formatShare, plural } from '../shared/text/units.ts';
import { isCopy } from '../shared/words/call-text.ts';
import { costText, gainText } from '../shared/words/cost-words.ts';
import { inBrief } from '../shared/words/in-brief.ts';
import { partText } from '../shared/words/terms.ts';
import {
  copiesMatter,
  mainCause,
  secondCause,
  verdictAnswer,
} from '../shared/words/verdict-answer.ts';
import { exact } from './exact.ts';
import { type ReportInput, type Section, section } from './report-input.ts';

const MAX_EVIDENCE = 4;
/** Code of so many lines is always there, with what its placeholders stand for: it is what a reader pastes. */
const CODE_LINES = 28;
/** Code of so few lines is there beside an example. */
const FEW_CODE_LINES = 5;
const MAX_PARTS = 5;
/** The heading and the text of a fix, and the marks of its code, each with the empty line behind it. */
const LINES_AROUND_CODE = 7;

/**
 * What a report leads with that is of the trace as a whole: the verdict, with its strongest evidence where it is no proof.
 * undefined where it was asked for a call, or nothing is known of the whole.
 */
export function answerOf({ facts, isAboutCall }: ReportInput): Diagnosis | undefined {
  const { diagnosis } = facts;
  if (isAboutCall || diagnosis === undefined) return undefined;
  const isKnown = diagnosis.verdict !== 'unknown' || diagnosis.clues !== undefined;
  return isKnown || mainCause(diagnosis) !== undefined ? diagnosis : undefined;
}

/**
 * What stands behind the first lines, without the tables: evidence and fix. The environment follows. The code of the fix is there
 * where all of it fits into `mostLines`, or on a screen. What was asked for stands first: the call, or the trace. Nothing that the
 * first lines say is said again.
 */
export function shortSections(input: ReportInput, mostLines: number): Section[] {
  const { diagnosis, explanation } = input.facts;
  const isOfTrace = answerOf(input) !== undefined;
  const cause = diagnosis && mainCause(diagnosis);
  const callFix = explanation?.fixes.at(0);
  const fix = isOfTrace ? (cause ?? callFix) : (callFix ?? cause);
  const isNamed = isOfTrace && cause !== undefined;
  const ofCall = callParts(explanation);
  const brief = (text: string) => (isNamed ? briefly(cause, text) : text);
  const found = [...causeEvidence(cause).map(brief), ...clueLines(diagnosis?.clues)].slice(
    0,
    MAX_EVIDENCE,
  );
  const beforeWith = (evidence: readonly string[]) => [
    ...(isOfTrace || diagnosis === undefined ? [] : wholeTrace(diagnosis, cause)),
    ...section('Evidence', [
      ...(isNamed && diagnosis !== undefined
        ? [escapeParagraph(besideCause(diagnosis)), escapeParagraph(brief(cause.sentence))]
        : []),
      listOf(isOfTrace ? evidence : [...evidence, ...ofCall]),
    ]),
  ];
  const isExample = isOfTrace && diagnosis !== undefined && copiesMatter(diagnosis);
  const after =
    isExample && explanation !== undefined
      ? section(`The slowest ${isCopy(explanation.call) ? 'copy' : 'call'}`, [
          `${callName(explanation)}: ${escapeSentence(explanation.headline)}`,
          listOf(ofCall),
        ])
      : [];
  if (fix === undefined) return [...beforeWith(found), ...after];
  // The code of the fix is worth more than an example, and than the last of the evidence.
  const over = linesOf(beforeWith(found)) + codeLines(fix) + LINES_AROUND_CODE - mostLines;
  const isOver = over > 0 && codeLines(fix) <= CODE_LINES;
  const before = beforeWith(isOver ? found.slice(0, Math.max(1, found.length - over)) : found);
  const room = mostLines - linesOf(before);
  const roomBeside = room - linesOf(after);
  const isCode = codeLines(fix) <= Math.max(CODE_LINES, room - LINES_AROUND_CODE);
  const isLeftOut =
    isCode && codeLines(fix) > Math.max(FEW_CODE_LINES, roomBeside - LINES_AROUND_CODE);
  return [
    ...before,
    ...section('Fix', fixBlocks(fix, { isCode, isNamed })),
    ...(isLeftOut ? [] : after),
  ];
}

/** With the empty line behind each. */
export const linesOf = (sections: readonly Section[]) =>
  sections.reduce((lines, { text }) => lines + text.split('\n').length + 1, 0);

/** Where the call was asked for: what the trace as a whole waits for, and why. */
function wholeTrace(diagnosis: Diagnosis, cause: Finding | undefined): Section[] {
  return [
    ...section('The whole trace', [`**${verdictLine(diagnosis)}.**`, verdictDetail(diagnosis)]),
    ...(cause === undefined
      ? []
      : section(causeName(diagnosis), [
          `**${titleOf(cause)}.** It ${costOf(cause, diagnosis)}. ${escapeSentence(cause.sentence)}`,
        ])),
  ];
}

/** Of the trace, without a full stop. */
export function verdictLine(diagnosis: Diagnosis): string {
  const mark = diagnosis.clues === undefined ? '' : 'The strongest evidence, no proof: ';
  return `${mark}${escapeSentence(verdictAnswer(diagnosis))}`;
}

/**
 * The sentences that belong to it, without what is said of the cause, which has lines of its own; empty where evidence is all
 * there is.
 */
export const verdictDetail = (diagnosis: Diagnosis): string =>
  diagnosis.clues === undefined ? escapeParagraph(besideCause(diagnosis)) : '';

function besideCause({ headline, lead = 0, ranks, findings }: Diagnosis): string {
  const said = causeSentences(lead, ranks, findings).join(' ');
  return headline.replace(said, '').replace(/ {2,}/g, ' ').trim();
}

/** `cudaMemcpyAsync` H2D, 440.6 µs */
export function callName({ call }: CallExplanation): string {
  const direction = call.direction === 'none' ? '' : ` ${call.direction}`;
  return `${codeSpan(call.name)}${direction}, ${formatDuration(call.durationNs)}`;
}

/** What a reader who reads no further has to know, below the verdict: the main cause, who or what it is, and the fix. */
export function answerLines(diagnosis: Diagnosis): string {
  const cause = mainCause(diagnosis);
  if (cause === undefined) return '';
  const second = secondCause(diagnosis);
  const cost = costOf(cause, diagnosis);
  // Where no verdict is known, the title of the report is that of the cause.
  const isSaid = verdictAnswer(diagnosis).startsWith(cause.title);
  return [
    isSaid ? `- It ${cost}` : `- **${causeName(diagnosis)}:** ${titleOf(cause)}. It ${cost}`,
    `- **Fix:** ${escapeSentence(briefly(cause, cause.fix.title))}`,
    ...(second === undefined
      ? []
      : [`- **Also:** ${titleOf(second)}. It ${costOf(second, diagnosis)}`]),
  ].join('\n');
}

const causeName = ({ unexplained }: Diagnosis): string =>
  unexplained === undefined ? 'Main cause' : 'Largest known cause';

/** With who is to blame, where the title does not say it. */
function titleOf({ title, culprit = '' }: Finding): string {
  return escapeSentence(title.includes(culprit) ? title : `${title}, by ${culprit}`);
}

/** `text` about a finding, of which the first lines have said where it is. */
const briefly = ({ title }: Finding, text: string): string =>
  inBrief(title, text, (name) => `\`${name}\``);

/** `costs 42.1 % of the step time: 4.935 s of 11.73 s (likely)`; of several ranks in how many it was found. */
function costOf(finding: Finding, { ranks, findings }: Diagnosis): string {
  const found =
    ranks.length > 1
      ? `, found in ${ranksWith(finding, findings)} of ${plural(ranks.length, 'rank')}`
      : '';
  return `${escapeSentence(costText(finding, ranks))}${found} (${finding.confidence})`;
}

/** What the sentence of the cause says is not said twice. */
const causeEvidence = (cause: Finding | undefined): string[] =>
  (cause?.evidence ?? [])
    .filter(({ text }) => !cause?.sentence.includes(text))
    .map(({ text, basis }) => `${text} (${basis})`);

const clueLines = (clues: readonly Clue[] = []): string[] =>
  clues.map(({ text, detail, basis }) => `${text}. ${detail} (${basis})`);

/** What the call's time went to, in one line. */
function callParts(explanation: CallExplanation | undefined): string[] {
  const { durationNs = 0 } = explanation?.call ?? {};
  const parts = (explanation?.accounting ?? [])
    .toSorted((a, b) => b.ns - a.ns)
    .filter(({ ns }) => ns > 0)
    .slice(0, MAX_PARTS)
    .map((part) => `${partText(part)} ${formatShare(part.ns, durationNs)}`);
  return parts.length === 0 ? [] : [`Of the call’s ${exact(durationNs)}: ${parts.join(', ')}`];
}

const listOf = (lines: readonly string[]): string =>
  lines.map((line) => `- ${escapeSentence(line)}`).join('\n');

interface FixPlace {
  readonly isCode: boolean;
  /** Whether its title stands above. */
  readonly isNamed: boolean;
}

function fixBlocks(finding: Finding, { isCode, isNamed }: FixPlace): string[] {
  const { fix } = finding;
  const gain = gainText(finding);
  const code = isCode ? codeBlock(fix.after, fix.language) : 'Its code is in the long form.';
  const title = isNamed ? '' : `**${escapeSentence(fix.title)}.** `;
  return [
    `${title}${escapeParagraph(isNamed ? briefly(finding, fix.text) : fix.text)}${gain === '' ? '' : ` The fix ${gain}.`}`,
    ...(fix.after === '' ? [] : [code]),
  ];
}

const codeLines = ({ fix: { after } }: Finding): number => after.split('\n').length;
