import { escapeInline } from '../markdown/escape.ts';
import { markdownTable } from '../markdown/table.ts';
import type { RunSeries } from '../shared/answers/run-series.ts';
import { seriesBars, seriesHead, seriesNotes, seriesRows } from '../shared/words/series-rows.ts';

/** Several runs beside each other, for an issue or a pull request. Names are of files and traces, so all of them are escaped. */
export function seriesMarkdown(series: RunSeries, leftOut: readonly string[] = []): string {
  const bars = seriesBars(series);
  const rows = seriesRows(series).map((row, at) => [...row, bars[at] ?? '']);
  const notes = [...leftOut.map((why) => `Left out: ${why}`), ...seriesNotes(series)];
  return [
    `## ${series.runs.length} runs compared`,
    escapeInline(series.sentence),
    markdownTable([...seriesHead(series), ''], rows),
    ...(notes.length === 0 ? [] : [notes.map((note) => `- ${escapeInline(note)}`).join('\n')]),
  ].join('\n\n');
}
