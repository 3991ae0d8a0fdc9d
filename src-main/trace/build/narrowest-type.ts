import { type ColumnArray, storedType } from '../../shared/model/columns.ts';
import type { ColumnSpec, ElementType, StoredType } from '../../shared/model/schema.ts';

/** Which numbers a column has, as far as it was looked at; 0 counts as one of them. */
export interface Spread {
  lowest: number;
  highest: number;
  /** Integers of 32 bits tell all of them: no fraction, NaN or -0. */
  areSmall: boolean;
}

export const newSpread = (): Spread => ({ lowest: 0, highest: 0, areSmall: true });

/** Of integers: the lowest and the highest that fit. */
const ranges = {
  i32: [-(2 ** 31), 2 ** 31 - 1],
  u32: [0, 2 ** 32 - 1],
  i16: [-(2 ** 15), 2 ** 15 - 1],
  u16: [0, 2 ** 16 - 1],
  i8: [-(2 ** 7), 2 ** 7 - 1],
  u8: [0, 2 ** 8 - 1],
} as const satisfies Partial<Record<StoredType, readonly [number, number]>>;

/** How integers of a column may be stored, the narrowest first; where none fits, as wide as its type. */
const narrower: Readonly<Record<ElementType, readonly (keyof typeof ranges)[]>> = {
  f64: ['i16', 'i32', 'u32'],
  i32: ['i8', 'i16', 'i32'],
  u32: ['u8', 'u16', 'u32'],
  u8: ['u8'],
  name: ['u8', 'u16', 'u32'],
};

/** As what a column of `spec` with these numbers can be stored without any of them changing: the narrowest. Moments stay as they are. */
export function narrowestType(
  { type, isMoment }: Pick<ColumnSpec, 'type' | 'isMoment'>,
  { lowest, highest, areSmall }: Spread,
): StoredType {
  const wide = storedType(type);
  if (isMoment === true || !areSmall) return wide;
  const fits = narrower[type].find(
    (stored) => ranges[stored][0] <= lowest && highest <= ranges[stored][1],
  );
  return fits ?? wide;
}

/** Widens `spread` by the first `rows` of `cells`; nothing more is looked for once they need 64 bits anyway. */
export function spreadBy(spread: Spread, cells: ColumnArray, rows = cells.length): Spread {
  if (cells instanceof Float64Array) spreadByNumbers(spread, cells, rows);
  else spreadByIntegers(spread, cells, rows);
  return spread;
}

function spreadByNumbers(spread: Spread, cells: Float64Array, rows: number): void {
  let { lowest, highest, areSmall } = spread;
  for (let row = 0; row < rows && areSmall; row++) {
    const value = cells[row];
    if (value > 0) {
      areSmall = value === value >>> 0;
      if (value > highest) highest = value;
    } else {
      areSmall = Object.is(value, value | 0);
      if (value < lowest) lowest = value;
    }
  }
  Object.assign(spread, { lowest, highest, areSmall });
}

function spreadByIntegers(
  spread: Spread,
  cells: Exclude<ColumnArray, Float64Array>,
  rows: number,
): void {
  let { lowest, highest } = spread;
  for (let row = 0; row < rows; row++) {
    const value = cells[row];
    if (value < lowest) lowest = value;
    else if (value > highest) highest = value;
  }
  spread.lowest = lowest;
  spread.highest = highest;
}

/** What stays as it is stored: it was looked at as a whole. */
const narrowest = new WeakSet<ColumnArray>();

export function markNarrowest<A extends ColumnArray>(array: A): A {
  narrowest.add(array);
  return array;
}

export const isNarrowest = (array: ColumnArray): boolean => narrowest.has(array);
