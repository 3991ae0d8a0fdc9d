import {
  type ColumnSpec,
  columnSpecs,
  type ElementType,
  type StoredType,
  type TableName,
  type tableSpecs,
} from './schema.ts';

interface ElementArrays {
  f64: NumberArray;
  i32: IntegerArray;
  u32: Uint32Array | Uint16Array | Uint8Array;
  u8: Uint8Array;
  name: NameArray;
}

/** Numbers, times among them, as narrow as those of a trace are. */
export type NumberArray = Float64Array | Int32Array | Uint32Array | Int16Array;
/** Integers of at most 32 bits, as narrow as those of a trace are: ids, indexes, codes, of which -1 is none. */
export type IntegerArray = Int32Array | Int16Array | Int8Array;
/** Indexes into names: see `name` in schema.ts. */
export type NameArray = Uint8Array | Uint16Array | Uint32Array;

export type ColumnArray = ElementArrays[ElementType];

type Specs<T extends TableName> = (typeof tableSpecs)[T]['columns'];

/** A column that every source fills. */
export type RequiredColumn<T extends TableName> = {
  [C in keyof Specs<T>]: Specs<T>[C] extends { required: true } ? C : never;
}[keyof Specs<T>];

/** Moments are always of 64 bits: they are looked up, and compared, more than all else. */
type ArrayOf<Spec> = Spec extends { isMoment: true }
  ? Float64Array
  : Spec extends { type: infer Type extends ElementType }
    ? ElementArrays[Type]
    : never;

/** One table as typed arrays of equal length. A column the source cannot fill is missing. */
export type Columns<T extends TableName> = {
  [C in RequiredColumn<T>]: ArrayOf<Specs<T>[C]>;
} & { [C in Exclude<keyof Specs<T>, RequiredColumn<T>>]?: ArrayOf<Specs<T>[C]> };

export type ColumnName<T extends TableName> = keyof Specs<T> & string;

export type OptionalColumn<T extends TableName> = Exclude<ColumnName<T>, RequiredColumn<T>>;

const constructors = {
  f64: Float64Array,
  i32: Int32Array,
  u32: Uint32Array,
  i16: Int16Array,
  u16: Uint16Array,
  i8: Int8Array,
  u8: Uint8Array,
} as const;

/** More names than this need 32 bits. */
const SHORT_NAMES = 2 ** 16;

/** How a column of `type` is stored in a trace of `names` names; without that number so that any fit. */
export function storedType(type: ElementType, names = Number.POSITIVE_INFINITY): StoredType {
  if (type !== 'name') return type;
  return names <= SHORT_NAMES ? 'u16' : 'u32';
}

/** From the lowest number that fits to the highest. */
const ranges = {
  i32: [-(2 ** 31), 2 ** 31 - 1],
  u32: [0, 2 ** 32 - 1],
  i16: [-(2 ** 15), 2 ** 15 - 1],
  u16: [0, 2 ** 16 - 1],
  i8: [-(2 ** 7), 2 ** 7 - 1],
  u8: [0, 2 ** 8 - 1],
} as const satisfies Partial<Record<StoredType, readonly [number, number]>>;

/** How a column may be stored, the narrowest first; where none fits, as wide as its type. */
const narrower: Readonly<Record<ElementType, readonly (keyof typeof ranges)[]>> = {
  f64: ['i16', 'i32', 'u32'],
  i32: ['i8', 'i16', 'i32'],
  u32: ['u8', 'u16', 'u32'],
  u8: ['u8'],
  name: ['u8', 'u16', 'u32'],
};

/**
 * As what the first `rows` of `array`, a column of `spec`, can be stored without any of them changing: the narrowest. Moments
 * stay as they are.
 */
export function narrowestType(
  { type, isMoment }: Pick<ColumnSpec, 'type' | 'isMoment'>,
  array: ColumnArray,
  rows = array.length,
): StoredType {
  const wide = storedType(type);
  if (isMoment === true) return wide;
  let lowest = 0;
  let highest = 0;
  for (let row = 0; row < rows; row++) {
    const value = array[row];
    if (value < lowest) lowest = value;
    else if (value > highest) highest = value;
  }
  const fits = narrower[type].find(
    (stored) => ranges[stored][0] <= lowest && highest <= ranges[stored][1],
  );
  if (fits === undefined) return wide;
  return array instanceof Float64Array && !areIntegers(array, rows) ? wide : fits;
}

/** Whether integers of 32 bits tell all of them, which are no larger: NaN, fractions and -0 they don't. */
function areIntegers(array: Float64Array, rows: number): boolean {
  for (let row = 0; row < rows; row++) {
    const value = array[row];
    if (value !== (value >= 0 ? value >>> 0 : value | 0) || Object.is(value, -0)) return false;
  }
  return true;
}

/** A new array of `rows` elements of `type`. */
export function columnArray(type: StoredType, rows: number): ColumnArray {
  return new constructors[type](rows);
}

/**
 * Columns of `rows` rows: the required ones and those named in `optional`, filled with the
 * column's "not known" value; names of 32 bits, as their number is not known yet. Throws RangeError where memory does not suffice.
 */
export function allocateColumns<T extends TableName>(
  table: T,
  rows: number,
  optional: readonly OptionalColumn<T>[] = [],
): Columns<T> {
  const columns: Record<string, ColumnArray> = {};
  for (const [name, spec] of columnSpecs(table)) {
    if (spec.required !== true && !(optional as readonly string[]).includes(name)) continue;
    const array = columnArray(storedType(spec.type), rows);
    if (spec.none !== undefined) array.fill(spec.none);
    columns[name] = array;
  }
  return columns as Columns<T>;
}

/** The columns reduced to the rows in `order`, in that order. */
export function reorderColumns<T extends TableName>(
  table: T,
  columns: Columns<T>,
  order: Uint32Array,
): Columns<T> {
  const source = columns as Record<string, ColumnArray | undefined>;
  const result: Record<string, ColumnArray> = {};
  for (const [name] of columnSpecs(table)) {
    const from = source[name];
    if (from === undefined) continue;
    const to = likeColumn(from, order.length);
    for (let row = 0; row < order.length; row++) to[row] = from[order[row] as number] as number;
    result[name] = to;
  }
  return result as Columns<T>;
}

function likeColumn(array: ColumnArray, rows: number): ColumnArray {
  const Constructor = array.constructor as new (rows: number) => ColumnArray;
  return new Constructor(rows);
}

/** How many rows a table's columns have. */
export function rowCount<T extends TableName>(columns: Columns<T>): number {
  return (columns as unknown as { startNs: Float64Array }).startNs.length;
}
