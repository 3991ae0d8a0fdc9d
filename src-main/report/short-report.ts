import { codeBlock, codeSpan, escapeInline, escapeSentence } from '../markdown/escape.ts';
import type { Clue, Diagnosis, Finding } from '../shared/answers/diagnosis.ts';
import type { CallExplanation } from '../shared/answers/explanation.ts';
import { upperFirst } from '../shared/text/text.ts';
import { formatDuration, formatShare } from '../shared/text/units.ts';
import { isCopy } from '../shared/words/call-text.ts';
import { partText } from '../shared/words/terms.ts';
import { gainText, mainCause, verdictAnswer } from '../shared/words/verdict-answer.ts';
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
 * The answer without the tables behind it: verdict, cause, evidence, fix. The environment follows. The code of the fix is there
 * where all of it fits into `mostLines`, or on a screen. What was asked for stands first: the call, or the trace.
 */
export function shortSections(input: ReportInput, mostLines: number): Section[] {
  const { diagnosis, explanation } = input.facts;
  const isOfTrace = answerOf(input) !== undefined;
  const cause = diagnosis && mainCause(diagnosis);
  const callFix = explanation?.fixes.at(0);
  const fix = isOfTrace ? (cause ?? callFix) : (callFix ?? cause);
  const ofCall = callParts(explanation);
  const found = [...causeEvidence(cause), ...clueLines(diagnosis?.clues)].slice(0, MAX_EVIDENCE);
  const beforeWith = (evidence: readonly string[]) => [
    ...(isOfTrace || diagnosis === undefined
      ? []
      : section('The whole trace', [`**${verdictLine(diagnosis)}.**`, verdictDetail(diagnosis)])),
    ...(cause === undefined
      ? []
      : section(diagnosis?.unexplained === undefined ? 'Main cause' : 'Largest known cause', [
          isOfTrace ? saidOf(cause) : causeLine(cause),
        ])),
    ...section('Evidence', [listOf(isOfTrace ? evidence : [...evidence, ...ofCall])]),
  ];
  const after =
    isOfTrace && explanation !== undefined
      ? section(`The slowest ${isCopy(explanation.call) ? 'copy' : 'call'}`, [
          `${callName(explanation)}: ${escapeInline(explanation.headline)}`,
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
    ...section('Fix', fixBlocks(fix, diagnosis, isCode)),
    ...(isLeftOut ? [] : after),
  ];
}

/** With the empty line behind each. */
export const linesOf = (sections: readonly Section[]) =>
  sections.reduce((lines, { text }) => lines + text.split('\n').length + 1, 0);

/** Of the trace, without a full stop. */
export function verdictLine(diagnosis: Diagnosis): string {
  const mark = diagnosis.clues === undefined ? '' : 'The strongest evidence, no proof: ';
  return `${mark}${escapeInline(verdictAnswer(diagnosis))}`;
}

/** The sentences that belong to it; empty where evidence is all there is. */
export const verdictDetail = ({ clues, headline }: Diagnosis): string =>
  clues === undefined ? escapeInline(headline) : '';

/** `cudaMemcpyAsync` H2D, 440.6 µs */
export function callName({ call }: CallExplanation): string {
  const direction = call.direction === 'none' ? '' : ` ${call.direction}`;
  return `${codeSpan(call.name)}${direction}, ${formatDuration(call.durationNs)}`;
}

/** What a reader who reads no further has to know, below the verdict: the main cause, who or what it is, and the fix. */
export function answerLines(diagnosis: Diagnosis): string {
  const cause = mainCause(diagnosis);
  if (cause === undefined) return '';
  const { title, culprit = '', fix } = cause;
  const who = title.includes(culprit) ? '' : `, by ${escapeInline(culprit)}`;
  const name = diagnosis.unexplained === undefined ? 'Main cause' : 'Largest known cause';
  return [
    `- **${name}:** ${escapeInline(title)}${who}: ${costOf(cause)}`,
    `- **Fix:** ${escapeInline(fix.title)}`,
  ].join('\n');
}

const costOf = ({ costShare, costNs, confidence }: Finding): string =>
  `${formatShare(costShare, 1)} of the time, ${formatDuration(costNs)}; ${confidence}`;

/** Of a cause that the first lines name. */
const saidOf = ({ sentence }: Finding): string => escapeInline(sentence);

function causeLine(cause: Finding): string {
  return `**${escapeInline(cause.title)}** (${costOf(cause)}). ${escapeInline(cause.sentence)}`;
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
  lines.map((line) => `- ${escapeInline(line)}`).join('\n');

function fixBlocks(finding: Finding, diagnosis: Diagnosis | undefined, isCode: boolean): string[] {
  const { fix } = finding;
  const gain = diagnosis === undefined ? '' : gainText(finding, diagnosis.windowNs);
  const code = isCode ? codeBlock(fix.after, fix.language) : 'Its code is in the long form.';
  return [
    `**${escapeInline(fix.title)}.** ${escapeSentence(fix.text)}${gain === '' ? '' : ` ${upperFirst(gain)}.`}`,
    ...(fix.after === '' ? [] : [code]),
  ];
}

const codeLines = ({ fix: { after } }: Finding): number => after.split('\n').length;
