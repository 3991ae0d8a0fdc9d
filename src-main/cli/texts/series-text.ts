import type { RunSeries } from '../../shared/answers/run-series.ts';
import { cleanText } from '../../shared/text/text.ts';
import { seriesBars, seriesHead, seriesNotes, seriesRows } from '../../shared/words/series-rows.ts';
import { align } from './align.ts';

/** What `compare` prints of more than two runs for a person. */
export function seriesText(series: RunSeries): string {
  const bars = seriesBars(series);
  const rows = seriesRows(series).map((row, at) => [
    ...row.slice(0, -1),
    bars[at] ?? '',
    row.at(-1) ?? '',
  ]);
  const head = seriesHead(series);
  const notes = seriesNotes(series);
  return [
    cleanText(series.sentence, 2_000),
    '',
    ...align([[...head.slice(0, -1), '', head.at(-1) ?? ''], ...rows]),
    ...(notes.length === 0 ? [] : ['', 'Before you trust this comparison']),
    ...notes.map((note) => `  - ${cleanText(note, 1_000)}`),
  ].join('\n');
}
