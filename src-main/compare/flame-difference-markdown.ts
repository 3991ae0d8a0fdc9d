import { escapeInline } from '../markdown/escape.ts';
import { markdownTable } from '../markdown/table.ts';
import type { FlameDifference } from '../shared/answers/flame-difference.ts';
import {
  flameDifferenceSentence,
  flameDifferenceTitle,
  functionHead,
  functionRows,
} from '../shared/words/flame-difference-rows.ts';

/** The functions that changed most between two runs, for an issue. Names are of traces, so all of them are escaped. */
export function flameDifferenceMarkdown(difference: FlameDifference): string {
  const rows = functionRows(difference);
  return [
    `## What changed by function: ${flameDifferenceTitle(difference)}`,
    escapeInline(flameDifferenceSentence(difference)),
    ...(rows.length === 0 ? [] : [markdownTable(functionHead, rows)]),
    ...difference.notes.map((note) => `- ${escapeInline(note)}`),
  ].join('\n\n');
}
