import { codeBlock, escapeInline } from '../markdown/escape.ts';
import type { Clue, Diagnosis, Finding } from '../shared/answers/diagnosis.ts';
import type { CallExplanation } from '../shared/answers/explanation.ts';
import { formatShare } from '../shared/text/units.ts';
import { partText } from '../shared/words/terms.ts';
import { gainText, mainCause, verdictAnswer } from '../shared/words/verdict-answer.ts';
import { exact } from './exact.ts';
import { type Section, section } from './report-input.ts';

/** So that the whole form stays within 60 lines, whatever the trace. */
const MAX_EVIDENCE = 4;
const MAX_CODE_LINES = 5;
const MAX_PARTS = 5;

/** The answer without the tables behind it: verdict, cause, evidence, fix. The environment follows. */
export function shortSections(
  diagnosis: Diagnosis | undefined,
  explanation: CallExplanation | undefined,
): Section[] {
  const cause = diagnosis && mainCause(diagnosis);
  const fix = explanation?.fixes.at(0) ?? cause;
  return [
    ...(diagnosis === undefined ? [] : section('The whole trace', verdictBlocks(diagnosis))),
    ...(cause === undefined
      ? []
      : section(diagnosis?.unexplained === undefined ? 'Main cause' : 'Largest known cause', [
          causeLine(cause),
        ])),
    ...section('Evidence', [evidenceLines(cause, diagnosis?.clues, explanation)]),
    ...(fix === undefined ? [] : section('Fix', fixBlocks(fix, diagnosis))),
  ];
}

function verdictBlocks(diagnosis: Diagnosis): string[] {
  const isEvidence = diagnosis.clues !== undefined;
  const mark = isEvidence ? 'The strongest evidence, no proof: ' : '';
  return [
    `**${mark}${escapeInline(verdictAnswer(diagnosis))}.**`,
    ...(isEvidence ? [] : [escapeInline(diagnosis.headline)]),
  ];
}

function causeLine({ title, sentence, costShare, costNs }: Finding): string {
  const cost = `${formatShare(costShare, 1)} of the time, ${exact(costNs)}`;
  return `**${escapeInline(title)}** (${cost}). ${escapeInline(sentence)}`;
}

function evidenceLines(
  cause: Finding | undefined,
  clues: readonly Clue[] = [],
  explanation: CallExplanation | undefined,
): string {
  const said = [
    ...(cause?.evidence ?? []).map(({ text, basis }) => `${text} (${basis})`),
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

function fixBlocks(finding: Finding, diagnosis: Diagnosis | undefined): string[] {
  const { fix } = finding;
  const gain = diagnosis === undefined ? '' : gainText(finding, diagnosis.windowNs);
  const isShort = fix.after.split('\n').length <= MAX_CODE_LINES;
  return [
    `**${escapeInline(fix.title)}.** ${escapeInline(fix.text)}${gain === '' ? '' : ` It wins back ${gain}.`}`,
    ...(fix.after === ''
      ? []
      : [isShort ? codeBlock(fix.after, fix.language) : 'Its code is in the long form.']),
  ];
}
