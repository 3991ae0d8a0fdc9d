import { cleanText } from '../../shared/text/text.ts';

/**
 * Lines of a table without rules, its columns as wide as their cells: numbers right, words left, the
 * last column as it comes.
 */
export function align(rows: readonly (readonly string[])[]): string[] {
  const cleaned = rows.map((row) => row.map((cell) => cleanText(cell, 200)));
  const widths = (cleaned[0] ?? []).map((_, column) =>
    cleaned.reduce((width, row) => Math.max(width, row[column]?.length ?? 0), 0),
  );
  return cleaned.map((row) =>
    `  ${row
      .map((cell, column) => {
        if (column === row.length - 1) return cell;
        const width = widths[column] ?? 0;
        return /^[\d≥]/.test(cell) ? cell.padStart(width) : cell.padEnd(width);
      })
      .join('  ')}`.trimEnd(),
  );
}
