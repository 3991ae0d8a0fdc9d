import type { RunComparison } from '../../shared/answers/comparison.ts';
import { cleanText } from '../../shared/text/text.ts';
import {
  figureHead,
  operationRows,
  rankRows,
  roleRows,
  stepRows,
  stepTitle,
  verdictRows,
  verdictTitle,
} from '../../shared/words/comparison-rows.ts';
import {
  becameLabels,
  differenceLabels,
  findingCosts,
  findingName,
} from '../../shared/words/comparison-words.ts';
import { align } from './align.ts';

/** What `compare` prints for a person. */
export function comparisonText(comparison: RunComparison): string {
  const { sentence, differences, findings, notes } = comparison;
  const [steps, operations] = [stepRows(comparison), operationRows(comparison)];
  const table = (title: string, rows: string[][]) =>
    rows.length === 0 ? [] : ['', title, ...align([[...figureHead], ...rows])];
  return [
    cleanText(sentence, 2_000),
    ...section(
      verdictTitle,
      verdictRows(comparison).map(([which, verdict, said]) => `${which} run: ${verdict}. ${said}`),
    ),
    ...section(
      'What differs',
      differences.map(
        ({ what, first, second, kind }) =>
          `${what}: ${first} → ${second} (${differenceLabels[kind]})`,
      ),
    ),
    ...table(stepTitle(comparison), steps),
    ...table('A step of each rank', rankRows(comparison)),
    ...table('CUDA operations, a step', operations),
    ...table('Threads by role, a step', roleRows(comparison)),
    ...section(
      'Findings, with what they cost a step',
      findings.map((finding) =>
        [
          `${becameLabels[finding.became]}: ${findingName(finding)} [${finding.id}]`,
          findingCosts(finding),
          finding.note ?? '',
        ]
          .filter((part) => part !== '')
          .join('. '),
      ),
    ),
    ...section('Before you trust this comparison', notes),
  ].join('\n');
}

function section(title: string, lines: readonly string[]): string[] {
  return lines.length === 0
    ? []
    : ['', title, ...lines.map((line) => `  - ${cleanText(line, 1_200)}`)];
}
