import {
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

/** More names than these need 16 bits, and 32. */
const SHORTEST_NAMES = 2 ** 8;
const SHORT_NAMES = 2 ** 16;

/** How a column of `type` is stored in a trace of `names` names; without that number so that any fit. */
export function storedType(type: ElementType, names = Number.POSITIVE_INFINITY): StoredType {
  if (type !== 'name') return type;
  if (names <= SHORTEST_NAMES) return 'u8';
  return names <= SHORT_NAMES ? 'u16' : 'u32';
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
