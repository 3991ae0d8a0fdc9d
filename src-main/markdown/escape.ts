import { inlineCode } from '../shared/text/inline-code.ts';
import { cleanLines, cleanText } from '../shared/text/text.ts';

/**
 * Text of a trace is hostile: as Markdown it can neither notify, link, load nor open a tag, and stays
 * in its line and its cell. Prose is escaped, names stand in code spans.
 */

/** Longest text that is escaped, in UTF-16 code units. */
const MAX_LENGTH = 4096;

/** Text as literal Markdown, wherever it stands in its line. */
export function escapeMarkdown(text: string): string {
  // Four spaces at its beginning would make it code.
  return escapeInline(text.trimStart()).replace(/^(\d*)([-+#.):=])/, '$1\\$2');
}

/**
 * Text as literal Markdown after other text or in a cell, where no block can begin. The empty comment
 * keeps GitHub from linking `@name`, `#1` and `GH-1`, and from drawing `:name:`.
 */
export function escapeInline(text: string): string {
  return escapePiece(text.trimEnd());
}

function escapePiece(text: string): string {
  return cleanText(text, MAX_LENGTH)
    .replace(/[\\`*_{}[\]<>|~!&$]/g, '\\$&')
    .replace(/@|(?:#|\bGH-)(?=\w|$)/gi, '$&<!-- -->')
    .replace(/:(?=\/\/|(?:[+-]1|100|1234|[\w+-]*[a-z][\w+-]*):)/gi, ':<!-- -->')
    .replace(/w(?=ww\.)/gi, '$&<!-- -->');
}

/** A sentence with code between backticks: the code as code spans, all else as literal Markdown. */
export function escapeSentence(sentence: string): string {
  return inlineCode(sentence.trimEnd())
    .map(({ text, isCode }) => (isCode ? codeSpan(text) : escapePiece(text)))
    .join('');
}

/** Text as a code span, whatever backticks it holds (CommonMark 6.1). */
export function codeSpan(text: string): string {
  const clean = cleanText(text, MAX_LENGTH);
  const fence = '`'.repeat(longestRun(clean) + 1);
  const pad = /^`|`$|^ .* $/.test(clean) ? ' ' : '';
  return `${fence}${pad}${clean === '' ? ' ' : clean}${pad}${fence}`;
}

/** Likewise in a table, where a pipe ends a cell even in code, and a backslash before it would not help. */
export function codeCell(text: string): string {
  return /[|\\]/.test(text) ? escapeInline(text) : codeSpan(text);
}

/** Text as a fenced block: its lines stay lines. */
export function codeBlock(text: string, language = ''): string {
  const fence = '`'.repeat(Math.max(3, longestRun(text) + 1));
  return [fence + language, cleanLines(text), fence].join('\n');
}

function longestRun(text: string): number {
  return Math.max(0, ...[...text.matchAll(/`+/g)].map(([run]) => run.length));
}
