import {
  columnSpecs,
  type ElementType,
  type StoredType,
  type TableName,
  type tableSpecs,
} from './schema.ts';

interface ElementArrays {
  f64: Float64Array;
  i32: Int32Array;
  u32: Uint32Array;
  u8: Uint8Array;
  name: NameArray;
}

/** Indexes into names: see `name` in schema.ts. */
export type NameArray = Uint16Array | Uint32Array;

export type ColumnArray = ElementArrays[ElementType];

type Specs<T extends TableName> = (typeof tableSpecs)[T]['columns'];

/** A column that every source fills. */
export type RequiredColumn<T extends TableName> = {
  [C in keyof Specs<T>]: Specs<T>[C] extends { required: true } ? C : never;
}[keyof Specs<T>];

type ArrayOf<Spec> = Spec extends { type: infer Type extends ElementType }
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
  u16: Uint16Array,
  u8: Uint8Array,
} as const;

/** More names than this need 32 bits. */
const SHORT_NAMES = 2 ** 16;

/** How a column of `type` is stored in a trace of `names` names; without that number so that any fit. */
export function storedType(type: ElementType, names = Number.POSITIVE_INFINITY): StoredType {
  if (type !== 'name') return type;
  return names <= SHORT_NAMES ? 'u16' : 'u32';
}

/** How an array of a column of `type` is stored. */
function storedAs(type: ElementType, array: ColumnArray): StoredType {
  return storedType(type, array instanceof Uint16Array ? 0 : Number.POSITIVE_INFINITY);
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
  for (const [name, spec] of columnSpecs(table)) {
    const from = source[name];
    if (from === undefined) continue;
    const to = columnArray(storedAs(spec.type, from), order.length);
    for (let row = 0; row < order.length; row++) to[row] = from[order[row] as number] as number;
    result[name] = to;
  }
  return result as Columns<T>;
}

/** How many rows a table's columns have. */
export function rowCount<T extends TableName>(columns: Columns<T>): number {
  return (columns as unknown as { startNs: Float64Array }).startNs.length;
}
