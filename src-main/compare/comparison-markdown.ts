import { escapeInline } from '../markdown/escape.ts';
import { markdownTable } from '../markdown/table.ts';
import type { RunComparison } from '../shared/answers/comparison.ts';
import {
  figureHead,
  operationRows,
  rankRows,
  roleRows,
  stepRows,
  stepTitle,
  verdictHead,
  verdictRows,
  verdictTitle,
} from '../shared/words/comparison-rows.ts';
import {
  becameLabels,
  differenceLabels,
  findingCosts,
  findingName,
} from '../shared/words/comparison-words.ts';

/** Two runs compared, for an issue or a pull request. Names are of traces, so all of them are escaped. */
export function comparisonMarkdown(comparison: RunComparison): string {
  const { sentence, differences, findings, notes } = comparison;
  return [
    '## Two runs compared',
    escapeInline(sentence),
    ...table(verdictTitle, verdictHead, verdictRows(comparison)),
    ...table(
      'What differs',
      ['', 'first', 'second', 'what it means'],
      differences.map(({ what, first, second, kind }) => [
        ...[what, first, second],
        differenceLabels[kind],
      ]),
    ),
    ...table(stepTitle(comparison), figureHead, stepRows(comparison)),
    ...table('A step of each rank', figureHead, rankRows(comparison)),
    ...table('CUDA operations, a step', figureHead, operationRows(comparison)),
    ...table('Threads by role, a step', figureHead, roleRows(comparison)),
    ...table(
      'Findings',
      ['', 'finding', 'costs a step', 'what it means'],
      findings.map((finding) => [
        becameLabels[finding.became],
        `${findingName(finding)} [${finding.id}]`,
        findingCosts(finding),
        finding.note ?? '',
      ]),
    ),
    ...(notes.length === 0 ? [] : [notes.map((note) => `- ${escapeInline(note)}`).join('\n')]),
  ].join('\n\n');
}

function table(
  title: string,
  head: readonly string[],
  rows: readonly (readonly string[])[],
): string[] {
  return rows.length === 0 ? [] : [`### ${title}`, markdownTable(head, rows)];
}
