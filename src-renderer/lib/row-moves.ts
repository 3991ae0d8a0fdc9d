import { clamp } from './clamp.ts';

/** Where a key leads: so many rows on, or so far. */
export type RowMove = number | 'page-up' | 'page-down' | 'first' | 'last';

export const rowMoves: Readonly<Record<string, RowMove>> = {
  ArrowUp: -1,
  ArrowDown: 1,
  PageUp: 'page-up',
  PageDown: 'page-down',
  Home: 'first',
  End: 'last',
};

/** The row, 0 to `last`, that a move leads to; a page has `pageRows`. */
export function rowAfter(by: RowMove, from: number, last: number, pageRows: number): number {
  if (by === 'first') return 0;
  if (by === 'last') return last;
  const steps = by === 'page-up' ? -pageRows : by === 'page-down' ? pageRows : by;
  return clamp(from + steps, 0, last);
}
