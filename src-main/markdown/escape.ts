import { inlineCode } from '../shared/text/inline-code.ts';
import { cleanLines, cleanText } from '../shared/text/text.ts';

/**
 * Text of a trace is hostile: as Markdown it can neither notify, link, load nor open a tag, and stays
 * in its line and its cell. Names stand in code spans, also within prose, so that they read as they are
 * where nobody renders the text; what is no name is escaped.
 */

/** Longest text that is escaped, in UTF-16 code units. */
const MAX_LENGTH = 4096;

/** Text as literal Markdown without code spans, wherever it stands in its line: what people write. */
export function escapeMarkdown(text: string): string {
  // Four spaces at its beginning would make it code.
  return atLineStart(literal(cleanText(text.trim(), MAX_LENGTH)));
}

/** Keeps what begins a line from beginning a block. */
function atLineStart(said: string): string {
  return said.replace(/^(?!\d+\.\d)(\d*)([-+#.):=])/, '$1\\$2');
}

/** Text after other text or in a cell, where no block can begin; its names are code. */
export function escapeInline(text: string): string {
  return namesAsCode(cleanText(text.trimEnd(), MAX_LENGTH));
}

/**
 * Clean text as literal Markdown. The empty comment keeps GitHub from linking `@name`, `#1` and `GH-1`,
 * and from drawing `:name:`.
 */
function literal(text: string): string {
  return text
    .replace(/[\\`*_{}[\]<>|~!&$]/g, '\\$&')
    .replace(/@|(?:#|\bGH-)(?=\w|$)/gi, '$&<!-- -->')
    .replace(/:(?=\/\/|(?:[+-]1|100|1234|[\w+-]*[a-z][\w+-]*):)/gi, ':<!-- -->')
    .replace(/w(?=ww\.)/gi, '$&<!-- -->');
}

/** A word, or a function with its file and line, after what opens a bracket or a quotation. */
const WORD = /(?<!\S)([(["'“‘]*)(?:([^\s(["'“‘]\S*) \(([^()]*[^()\s]:\d+)\)|(\S+))/gu;

/** Clean text with what is a name in it as code, all else as literal Markdown. */
function namesAsCode(text: string): string {
  let said = '';
  let reached = 0;
  for (const match of text.matchAll(WORD)) {
    const [, before = '', name, file, word = ''] = match;
    const code = name === undefined ? codeIn(word) : `${name} (${file})`;
    if (code === '') continue;
    const at = match.index + before.length;
    said += literal(text.slice(reached, at)) + codeCell(code);
    reached = at + code.length;
  }
  return said + literal(text.slice(reached));
}

/** What is read as a name: `Rows.update`, `train.py:9`, `fsync()`, `std::vector`, and whatever Markdown would read. */
const NAME = /^[A-Za-z_]\w+(?:\.[A-Za-z_]\w+)+(?::\d+)?$|\w\(\)|\w::\w/;

/** The name that a word is, without the marks of the sentence around it; empty where it is none. */
function codeIn(word: string): string {
  const [, start = '', marks = ''] = /^(.*?)([)\].,;:!?…'"”’]*)$/su.exec(word) ?? [];
  const code = start + closersOf(start, marks);
  const isRead = /[\p{L}\p{N}]/u.test(code) && literal(code) !== code;
  return isRead || NAME.test(code) ? code : '';
}

/** As many of the `marks` behind it as close what `start` opens: `()` of `fsync()`. */
function closersOf(start: string, marks: string): string {
  const left = new Map([
    [')', countOf(start, '(') - countOf(start, ')')],
    [']', countOf(start, '[') - countOf(start, ']')],
  ]);
  let end = 0;
  for (; (left.get(marks[end] ?? '') ?? 0) > 0; end++)
    left.set(marks[end], (left.get(marks[end]) ?? 0) - 1);
  return marks.slice(0, end);
}

const countOf = (text: string, character: string): number => text.split(character).length - 1;

/** A sentence with code between backticks: that and its names as code spans, all else as literal Markdown. */
export function escapeSentence(sentence: string): string {
  const pieces = inlineCode(sentence.trimEnd());
  return pieces
    .map(({ text, isCode }, at) =>
      isCode ? codeSpan(text) : proseBetween(text, at > 0, at < pieces.length - 1),
    )
    .join('');
}

/** Prose beside code spans: what touches one is no code span of its own, since the two would be one. */
function proseBetween(text: string, isAfterCode: boolean, isBeforeCode: boolean): string {
  const clean = cleanText(text, MAX_LENGTH);
  const from = isAfterCode ? (/^\S*/.exec(clean)?.[0].length ?? 0) : 0;
  const to = isBeforeCode ? from + clean.slice(from).search(/(?<!\S)\S*$/) : clean.length;
  return (
    literal(clean.slice(0, from)) + namesAsCode(clean.slice(from, to)) + literal(clean.slice(to))
  );
}

/** Such a sentence where a paragraph or the text of a list begins. */
export function escapeParagraph(sentence: string): string {
  return atLineStart(escapeSentence(sentence.trimStart()));
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
  return /[|\\]/.test(text) ? literal(cleanText(text.trimEnd(), MAX_LENGTH)) : codeSpan(text);
}

/** Text as a fenced block: its lines stay lines. */
export function codeBlock(text: string, language = ''): string {
  const fence = '`'.repeat(Math.max(3, longestRun(text) + 1));
  return [fence + language, cleanLines(text), fence].join('\n');
}

function longestRun(text: string): number {
  return Math.max(0, ...[...text.matchAll(/`+/g)].map(([run]) => run.length));
}
