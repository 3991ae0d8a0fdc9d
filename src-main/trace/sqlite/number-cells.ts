import type { Cell } from './row-query.ts';

/**
 * Cells of columns that hold numbers: a table of events has no others. What is no number stands in
 * the array as one of two values that no number of a file has.
 */

/** NULL. */
export const NULL_CELL = Number.NEGATIVE_INFINITY;
/** A text, a blob, or a number that is none: infinite, or not a number. */
const STRANGE_CELL = Number.NaN;

/** Some rows of a table in their order, a column each. Good until the next rows are asked for. */
export interface NumberRows {
  readonly count: number;
  /** `count` cells, which whoever asks may write into; asked for once. */
  column(index: number): Float64Array;
}

/** A cell as it stands in an array. An integer beyond 2^53 comes as a float, which is no safe integer. */
export function numberOf(cell: Cell): number {
  if (cell === null) return NULL_CELL;
  return typeof cell === 'number' && Number.isFinite(cell) ? cell : STRANGE_CELL;
}

/**
 * Writes the cells of `rows` from their column `first` on: column c of row r to `cells[c * stride + r]`.
 * `cells` has room for `columns` times `stride`.
 */
export function writeCells(
  rows: readonly (readonly Cell[])[],
  { first, columns, cells, stride }: CellPlaces,
): void {
  for (let column = 0; column < columns; column++)
    for (let row = 0; row < rows.length; row++)
      cells[column * stride + row] = numberOf(rows[row][first + column]);
}

interface CellPlaces {
  readonly first: number;
  readonly columns: number;
  readonly cells: Float64Array;
  readonly stride: number;
}

/** The rows that stand in `cells` as `writeCells` leaves them. */
export function numberRows(count: number, cells: Float64Array, stride: number): NumberRows {
  return {
    count,
    column: (index) => cells.subarray(index * stride, index * stride + count),
  };
}
