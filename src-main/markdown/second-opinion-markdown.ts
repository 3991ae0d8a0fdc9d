import { opinionHead, opinionRows, type SecondOpinion } from '../shared/words/second-opinion.ts';
import { escapeInline } from './escape.ts';
import { markdownTable } from './table.ts';

/** TraceML's diagnosis beside ours, for an issue or a pull request. */
export function secondOpinionMarkdown(opinion: SecondOpinion): string {
  const { sentence, theirs, notes } = opinion;
  return [
    `**${escapeInline(sentence)}**`,
    `TraceML: ${escapeInline(theirs)}`,
    markdownTable(opinionHead, opinionRows(opinion)),
    notes.map((note) => `- ${escapeInline(note)}`).join('\n'),
  ].join('\n\n');
}
