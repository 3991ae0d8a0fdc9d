import { codeSpan } from '../../../src-main/markdown/escape.ts';
import type { BenchmarkFile } from '../../../src-main/shared/answers/benchmark-result.ts';
import { ratioTitle } from './benchmark-ratio-title.ts';
import { benchmarkRows, formatPerSecond, formatRatio } from './benchmark-rows.ts';
import { benchmarkSentences } from './benchmark-sentences.ts';

/** The result as GitHub Markdown: the sentences, and the table under the chart. */
export function benchmarkMarkdown({ result }: BenchmarkFile): string {
  const { dataset, batchSize, cpus, torch, device } = result;
  const rows = benchmarkRows(result).map(
    ({ label, isBest, currentMark, medianPerSecond, minPerSecond, maxPerSecond, ratio }) => {
      const marks = [
        ...(isBest ? ['**best**'] : []),
        ...(currentMark === undefined ? [] : [currentMark]),
      ];
      const cells = [
        marks.length > 0 ? `${label} (${marks.join(', ')})` : label,
        formatPerSecond(medianPerSecond),
        formatPerSecond(minPerSecond),
        formatPerSecond(maxPerSecond),
        ratio === undefined ? '–' : formatRatio(ratio),
      ];
      return `| ${cells.join(' | ')} |`;
    },
  );
  return [
    '## DataLoader benchmark',
    '',
    benchmarkSentences(result).join(' '),
    '',
    `| Samples a second | Median | Lowest | Highest | ${ratioTitle(result)} |`,
    '| --- | --: | --: | --: | --: |',
    ...rows,
    '',
    `${codeSpan(dataset)}, batches of ${batchSize}, ${cpus} CPUs, PyTorch ${codeSpan(torch)}${
      device === undefined ? '' : `, ${codeSpan(device)}`
    }.`,
    '',
  ].join('\n');
}
