import type { StatementCell } from '../../../src-main/shared/answers/statement.ts';

type Rows = readonly (readonly StatementCell[])[];

/** What stands in a column of a result: NULL says nothing of it. */
export type ColumnKind = 'number' | 'text' | 'empty';

/** Of each column whether all that stands in it are numbers. */
export function columnKinds(columns: number, rows: Rows): ColumnKind[] {
  const kinds: ColumnKind[] = new Array(columns).fill('empty');
  for (const row of rows) {
    row.forEach((cell, at) => {
      if (cell === null || kinds[at] === 'text') return;
      kinds[at] = typeof cell === 'number' || isDigits(cell) ? 'number' : 'text';
    });
  }
  return kinds;
}

/** An integer beyond 2^53. */
function isDigits(cell: string): boolean {
  return /^-?\d{16,19}$/.test(cell);
}

/** The order of rows by a column: numbers before texts, NULL last whichever way. */
export function sortedRows(rows: Rows, column: number, direction: 1 | -1): Rows {
  const cellOf = (row: Rows[number]) => row[column] ?? null;
  return rows.toSorted((a, b) => {
    const [left, right] = [cellOf(a), cellOf(b)];
    if (left === null || right === null) return Number(left === null) - Number(right === null);
    return direction * compare(left, right);
  });
}

function compare(left: number | string, right: number | string): number {
  if (typeof left === 'number' && typeof right === 'number') return left - right;
  if (typeof left === 'number')
    return typeof right === 'string' && isDigits(right) ? byDigits(left, right) : -1;
  if (typeof right === 'number') return isDigits(left) ? byDigits(left, right) : 1;
  if (isDigits(left) && isDigits(right)) return byDigits(left, right);
  return left < right ? -1 : Number(left > right);
}

function byDigits(left: number | string, right: number | string): number {
  return Number(left) - Number(right);
}

/** A cell as a table shows it. */
export function cellText(cell: StatementCell): string {
  if (cell === null) return 'NULL';
  if (typeof cell === 'string') return cell;
  return Number.isInteger(cell) ? String(cell) : String(Number(cell.toPrecision(12)));
}
