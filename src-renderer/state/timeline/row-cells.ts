import type { RowFacts } from '../../../src-main/shared/answers/row-facts.ts';

/** A cell of one row by the name of its column; `undefined` where there is none, or it is not here yet. */
export type ReadCell = (column: string) => number | undefined;

/** The cells of a row, of which `told` is what was told. */
export function rowCells(told: RowFacts | undefined): ReadCell {
  return (column) => told?.values[column];
}
