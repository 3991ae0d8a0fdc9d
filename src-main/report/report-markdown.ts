import { codeSpan, escapeInline, escapeSentence } from '../markdown/escape.ts';
import { GITHUB_LIMIT } from '../shared/answers/report.ts';
import { formatCount } from '../shared/text/units.ts';
import { hasSumsOnly, whyNoCalls } from '../shared/words/no-calls.ts';
import { mainCause } from '../shared/words/verdict-answer.ts';
import { callSections } from './call-section.ts';
import { cannotTellSection, captureSection } from './capture.ts';
import { diagnosisSections } from './diagnosis-sections.ts';
import { environment } from './environment.ts';
import { evidence, rangeSection } from './evidence.ts';
import { ganttBlock, ganttNotes } from './gantt.ts';
import { notesSection } from './notes.ts';
import { hostWord } from './private-words.ts';
import { type ReportInput, type Section, section } from './report-input.ts';
import { secondOpinionSection } from './second-opinion-section.ts';
import {
  answerLines,
  answerOf,
  callName,
  linesOf,
  shortSections,
  verdictDetail,
  verdictLine,
} from './short-report.ts';

/** Room for the sentence that names what was left out. */
const RESERVE = 1_500;

/**
 * The finding as Markdown for an issue, the most telling first: the answer alone, or all of it where that is
 * asked for. Long tables are cut with a count, and sections for which GitHub has no room are named instead.
 */
export function reportMarkdown(input: ReportInput, limit = GITHUB_LIMIT): string {
  const answer = answerOf(input);
  const head = [
    title(input),
    synthetic(input),
    answer === undefined ? '' : answerLines(answer),
    finding(input),
  ]
    .filter(Boolean)
    .join('\n\n');
  const sections = input.long ? longSections(input) : brief(input, head);
  return `${fitted(head, sections, lastLine(input), limit)}\n`;
}

/** Of the short form: what a reader scrolls through once. */
const SHORT_LINES = 60;

/** Verdict, cause, evidence and fix; the environment last. */
function brief(input: ReportInput, head: string): Section[] {
  const others = [
    ...secondOpinionSection(input),
    ...rangeSection(input),
    ...notesSection(input.notes),
    ...environment(input),
  ];
  const ends = [head, lastLine(input)].map((text) => ({ title: '', text }));
  const left = SHORT_LINES - linesOf([...ends, ...others]);
  return [...shortSections(input, left), ...others];
}

function longSections(input: ReportInput): Section[] {
  const { facts } = input;
  return [
    ...environment(input),
    ...(facts.explanation === undefined ? [] : callSections(facts.explanation)),
    ...diagnosisSections(facts.diagnosis),
    ...secondOpinionSection(input),
    ...momentSection(input),
    ...rangeSection(input),
    ...notesSection(input.notes),
    ...cannotTellSection([
      ...(facts.explanation?.cannotTell ?? []),
      ...(facts.diagnosis?.cannotTell ?? []),
    ]),
    ...evidence(input),
    ...captureSection(input),
  ];
}

function title(input: ReportInput): string {
  const { facts, summary, name } = input;
  const { explanation } = facts;
  if (explanation === undefined)
    return `## A trace ${hasSumsOnly(summary) ? 'with sums of its CUDA calls only' : 'without CUDA calls'}: ${codeSpan(name)}`;
  const diagnosis = answerOf(input);
  return diagnosis === undefined
    ? `## Why slow: ${callName(explanation)}`
    : `## ${verdictLine(diagnosis)}`;
}

function synthetic({ summary }: ReportInput): string {
  if (summary.simulated !== undefined)
    return `> **Not all of this machine was real:** ${escapeInline(summary.simulated)}`;
  if (summary.synthetic === undefined) return '';
  return `> **This trace is synthetic. It was made by a script, not recorded from a real run:** ${escapeInline(summary.synthetic)}`;
}

function finding(input: ReportInput): string {
  const { explanation } = input.facts;
  if (explanation === undefined) return whyNoCalls(input.summary);
  const diagnosis = answerOf(input);
  if (diagnosis === undefined) return `**${escapeSentence(explanation.headline)}**`;
  // The long form has a section that begins with it, and the short one says it with the evidence of the cause.
  return input.long || mainCause(diagnosis) !== undefined ? '' : verdictDetail(diagnosis);
}

function momentSection({ facts: { moment } }: ReportInput): Section[] {
  if (moment === undefined) return [];
  const chart = moment.lanes.length === 0 ? '' : ganttBlock(moment);
  return section('The time around it', [chart, ganttNotes(moment).join(' ')]);
}

function lastLine({ hidden, version, summary: { hosts } }: ReportInput): string {
  const hostWords = [...new Set([hostWord(0, hosts.length), hostWord()])].map(
    (word) => `\`${word}\``,
  );
  const stated = hidden
    ? `Host, user names, paths and arguments were hidden: \`…\`, ${hostWords.join(', ')} and \`‹user›\` stand for them. `
    : '';
  return `---\n\n${stated}Made by Stalltrace ${escapeInline(version)}.`;
}

/** Sections in order, as far as there is room for them as a whole. */
function fitted(head: string, sections: readonly Section[], end: string, limit: number): string {
  const kept = [head];
  const leftOut: string[] = [];
  let length = head.length + end.length;
  for (const { title, text } of sections) {
    if (length + text.length + 2 > limit - RESERVE) leftOut.push(title);
    else {
      kept.push(text);
      length += text.length + 2;
    }
  }
  if (leftOut.length > 0)
    kept.push(
      `Left out, because GitHub takes no more than ${formatCount(GITHUB_LIMIT)} characters: ${leftOut.join(', ')}.`,
    );
  return [...kept, end].join('\n\n');
}
