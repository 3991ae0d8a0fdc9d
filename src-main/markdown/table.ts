import { escapeInline } from './escape.ts';

/** A table in Markdown, its cells as text. */
export function markdownTable(
  head: readonly string[],
  rows: readonly (readonly string[])[],
): string {
  const line = (cells: readonly string[]) => `| ${cells.join(' | ')} |`;
  const escaped = (cells: readonly string[]) => line(cells.map((cell) => escapeInline(cell)));
  return [escaped(head), line(head.map(() => '---')), ...rows.map(escaped)].join('\n');
}
