import { codeBlock, escapeInline } from '../markdown/escape.ts';
import type { Clue, Diagnosis, Finding } from '../shared/answers/diagnosis.ts';
import type { CallExplanation } from '../shared/answers/explanation.ts';
import { formatDuration, formatShare } from '../shared/text/units.ts';
import { partText } from '../shared/words/terms.ts';
import { gainText, mainCause, verdictAnswer } from '../shared/words/verdict-answer.ts';
import { exact } from './exact.ts';
import { type Section, section } from './report-input.ts';

const MAX_EVIDENCE = 4;
/** Code of so few lines is always there. */
const FEW_CODE_LINES = 5;
const MAX_PARTS = 5;
/** The heading and the text of a fix, and the marks of its code. */
const LINES_AROUND_CODE = 6;

/**
 * The answer without the tables behind it: verdict, cause, evidence, fix. The environment follows. The code of the fix is there
 * where all of it fits into `mostLines`, or is of a few lines.
 */
export function shortSections(
  diagnosis: Diagnosis | undefined,
  explanation: CallExplanation | undefined,
  mostLines: number,
): Section[] {
  const cause = diagnosis && mainCause(diagnosis);
  const fix = explanation?.fixes.at(0) ?? cause;
  const answer = [
    ...(diagnosis === undefined ? [] : section('The whole trace', verdictBlocks(diagnosis))),
    ...(cause === undefined
      ? []
      : section(diagnosis?.unexplained === undefined ? 'Main cause' : 'Largest known cause', [
          causeLine(cause),
        ])),
    ...section('Evidence', [evidenceLines(cause, diagnosis?.clues, explanation)]),
  ];
  const left = mostLines - linesOf(answer);
  return [...answer, ...(fix === undefined ? [] : section('Fix', fixBlocks(fix, diagnosis, left)))];
}

/** With the empty line behind each. */
export const linesOf = (sections: readonly Section[]) =>
  sections.reduce((lines, { text }) => lines + text.split('\n').length + 1, 0);

function verdictBlocks(diagnosis: Diagnosis): string[] {
  const isEvidence = diagnosis.clues !== undefined;
  const mark = isEvidence ? 'The strongest evidence, no proof: ' : '';
  return [
    `**${mark}${escapeInline(verdictAnswer(diagnosis))}.**`,
    ...(isEvidence ? [] : [escapeInline(diagnosis.headline)]),
  ];
}

function causeLine({ title, sentence, costShare, costNs, confidence }: Finding): string {
  const cost = `${formatShare(costShare, 1)} of the time, ${formatDuration(costNs)}; ${confidence}`;
  return `**${escapeInline(title)}** (${cost}). ${escapeInline(sentence)}`;
}

function evidenceLines(
  cause: Finding | undefined,
  clues: readonly Clue[] = [],
  explanation: CallExplanation | undefined,
): string {
  // What the sentence of the cause says is not said twice.
  const more = (cause?.evidence ?? []).filter(({ text }) => !cause?.sentence.includes(text));
  const said = [
    ...more.map(({ text, basis }) => `${text} (${basis})`),
    ...clues.map(({ text, detail, basis }) => `${text}. ${detail} (${basis})`),
  ].slice(0, MAX_EVIDENCE);
  const parts = (explanation?.accounting ?? [])
    .toSorted((a, b) => b.ns - a.ns)
    .filter(({ ns }) => ns > 0)
    .slice(0, MAX_PARTS)
    .map((part) => `${partText(part)} ${formatShare(part.ns, explanation?.call.durationNs ?? 0)}`);
  const call =
    parts.length === 0
      ? []
      : [`Of the call’s ${exact(explanation?.call.durationNs ?? 0)}: ${parts.join(', ')}`];
  return [...said, ...call].map((line) => `- ${escapeInline(line)}`).join('\n');
}

/** `lines`: how many there are for it. */
function fixBlocks(finding: Finding, diagnosis: Diagnosis | undefined, lines: number): string[] {
  const { fix } = finding;
  const gain = diagnosis === undefined ? '' : gainText(finding, diagnosis.windowNs);
  const most = Math.max(FEW_CODE_LINES, lines - LINES_AROUND_CODE);
  const isShort = fix.after.split('\n').length <= most;
  return [
    `**${escapeInline(fix.title)}.** ${escapeInline(fix.text)}${gain === '' ? '' : ` It wins back ${gain}.`}`,
    ...(fix.after === ''
      ? []
      : [isShort ? codeBlock(fix.after, fix.language) : 'Its code is in the long form.']),
  ];
}
