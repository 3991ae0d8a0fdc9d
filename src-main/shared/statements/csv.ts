import type { StatementCell } from '../answers/statement.ts';

/**
 * A row of RFC 4180 with `\n`. A text that a spreadsheet would run as a formula gets an apostrophe in front, as OWASP
 * advises: names in a trace may be anybody's. Numbers stay numbers.
 */
export function csvRow(cells: readonly StatementCell[]): string {
  return `${cells.map(csvCell).join(',')}\n`;
}

function csvCell(cell: StatementCell): string {
  if (cell === null) return '';
  if (typeof cell === 'number') return String(cell);
  const safe = /^[=+\-@\t\r]/.test(cell) && !/^-?\d+$/.test(cell) ? `'${cell}` : cell;
  return /[",\n\r]/.test(safe) || safe === '' ? `"${safe.replaceAll('"', '""')}"` : safe;
}
