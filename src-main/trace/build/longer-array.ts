import type { ColumnArray } from '../../shared/model/columns.ts';

/** The numbers of `array` and zeros behind them, `length` in all. */
export function longer<A extends ColumnArray>(array: A, length: number): A {
  const copy = new (array.constructor as new (length: number) => A)(length);
  copy.set(array);
  return copy;
}
