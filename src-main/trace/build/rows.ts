import {
  type ColumnArray,
  columnArray,
  type NumberArray,
  type OptionalColumn,
  type RequiredColumn,
  storedType,
} from '../../shared/model/columns.ts';
import {
  type ColumnSpec,
  columnSpecs,
  NONE,
  type Reference,
  type StoredType,
  type TableName,
  tableNames,
} from '../../shared/model/schema.ts';
import {
  markNarrowest,
  narrowestType,
  newSpread,
  type Spread,
  spreadBy,
} from './narrowest-type.ts';
import { sharedLike } from './shared-array.ts';
import { orderByStart } from './sort-rows.ts';

/** What a builder needs to know of a table before its rows come. */
export interface RowPlan<Optional> {
  /** The columns beside those that every source fills; the others are absent. */
  readonly optional?: readonly Optional[];
  /** How many rows are expected: more find room, fewer cost none. */
  readonly expected?: number;
  /** How many names there will be at most, where that is known already: columns may be narrower then. */
  readonly mostNames?: number;
  /** Rows refer to rows of this table by `ids`; else by what `add` gave. */
  readonly hasIds?: boolean;
  /** They come by `appendRows` alone: then columns are as narrow as their numbers from the begin. */
  readonly isAppended?: boolean;
  /** Of rows that start at once the first to be added stays first; else the longer one comes first. */
  readonly keepsTies?: boolean;
}

/** The rows of one table in the order that they have in a trace. */
export interface SortedRows<T extends TableName = TableName> {
  readonly table: T;
  readonly count: number;
  readonly columns: Record<string, ColumnArray>;
  /** The latest end of any, ns; 0 where there is none. */
  readonly endNs: number;
  /** What other rows call each of them. */
  readonly ids: Float64Array | undefined;
  /** Without ids: which of the rows as they were added each of them is; undefined = the same. */
  readonly order: Uint32Array | undefined;
}

/** The rows of a table that is not whole yet, in the order in which they were added. */
export type RowsSoFar = Pick<SortedRows, 'count' | 'columns'>;

/** An array of numbers of some type. */
export interface Cells {
  [row: number]: number;
}

const FIRST_ROWS = 1024;

/**
 * The rows of one table, added in any order. `add` makes a row of which nothing is known; write what is
 * known into `columns`, whose arrays are others once there was no room left: hold none of them across
 * an `add`. A column that refers to rows takes ids of 53 bits until it is resolved.
 */
export class RowBuilder<
  T extends TableName = TableName,
  Optional extends OptionalColumn<T> = OptionalColumn<T>,
> {
  readonly table: T;
  readonly columns: { readonly [C in RequiredColumn<T> | Optional]: Cells };
  /** What other rows call each of these; -1 = nobody does. Written only where the plan says `hasIds`. */
  ids = new Float64Array(0);
  count = 0;
  readonly #arrays: Record<string, ColumnArray>;
  readonly #none = new Map<string, number>();
  readonly #keepsTies: boolean;
  readonly #hasIds: boolean;
  /** Of columns that are as narrow as their numbers: which these are. */
  readonly #spreads = new Map<string, { readonly spec: ColumnSpec; readonly spread: Spread }>();
  #room: number;
  #sorted: SortedRows<T> | undefined;

  constructor(table: T, plan: RowPlan<Optional> = {}) {
    const { optional = [], expected = FIRST_ROWS, mostNames } = plan;
    const { hasIds = false, keepsTies = false, isAppended = false } = plan;
    this.table = table;
    this.#room = expected;
    this.#hasIds = hasIds;
    this.#keepsTies = keepsTies;
    const arrays = plannedColumns(table, optional).map(([name, spec]): [string, ColumnArray] => {
      const isNarrow = isAppended && isSettled(spec);
      if (isNarrow) this.#spreads.set(name, { spec, spread: newSpread() });
      const type = isNarrow ? narrowestType(spec, newSpread()) : addedType(spec, mostNames);
      const array = sharedLike(columnArray(type, 0), expected);
      if (spec.none === undefined) return [name, array];
      this.#none.set(name, spec.none);
      return [name, isAppended ? array : array.fill(spec.none)];
    });
    // At once: of an object that so many columns were put into one by one, V8 makes a slow dictionary.
    this.#arrays = Object.fromEntries(arrays);
    if (this.#hasIds) this.ids = new Float64Array(expected).fill(NONE);
    this.columns = this.#arrays as unknown as typeof this.columns;
  }

  /** A new row, of which nothing is known; its number until the rows are sorted. */
  add(): number {
    if (this.count === this.#room) this.#grow();
    return this.count++;
  }

  /** So many new rows at once: the first cells of columns, and of their ids. What has no cells is not known of them. */
  appendRows(count: number, cells: ReadonlyMap<string, Float64Array>, ids?: Float64Array): void {
    while (this.count + count > this.#room) this.#grow();
    for (const [name, column] of cells)
      this.#roomFor(name, column, count).set(column.subarray(0, count), this.count);
    for (const [name, none] of this.#none)
      if (!cells.has(name)) this.#arrays[name].fill(none, this.count, this.count + count);
    if (ids !== undefined) this.ids.set(ids.subarray(0, count), this.count);
    this.count += count;
  }

  /** The array of a column, once it is wide enough for the first `count` of `cells`. */
  #roomFor(name: string, cells: Float64Array, count: number): ColumnArray {
    const array = this.#arrays[name];
    const known = this.#spreads.get(name);
    if (known === undefined || !known.spread.areSmall) return array;
    const like = columnArray(narrowestType(known.spec, spreadBy(known.spread, cells, count)), 0);
    if (like.constructor === array.constructor) return array;
    const wide = sharedLike(like, this.#room);
    wide.set(array.subarray(0, this.count));
    this.#arrays[name] = wide;
    return wide;
  }

  #grow(): void {
    this.#room = Math.max(FIRST_ROWS, 2 * this.#room);
    for (const [name, array] of Object.entries(this.#arrays))
      this.#arrays[name] = grown(array, this.#room, this.#none.get(name) ?? 0);
    if (this.#hasIds) this.ids = grown(this.ids, this.#room, NONE);
  }

  /**
   * The rows sorted by start, without the room that is left. No row can be added afterwards. Whoever
   * knows that a table is whole calls it then, so that few tables are there unsorted at a time.
   */
  finish(): SortedRows<T> {
    this.#sorted ??= this.#sort();
    return this.#sorted;
  }

  /**
   * The rows that were added until now, for a look that ends before the next one is added. Columns that refer to rows are
   * absent: which rows these are is not known before all are here.
   */
  soFar(): RowsSoFar {
    const arrays = this.#sorted?.columns ?? this.#arrays;
    const columns = columnSpecs(this.table)
      .filter(([name, spec]) => arrays[name] !== undefined && referredTable(spec) === undefined)
      .map(([name]): [string, ColumnArray] => [name, arrays[name].subarray(0, this.count)]);
    return { count: this.count, columns: Object.fromEntries(columns) };
  }

  #sort(): SortedRows<T> {
    const { startNs, durationNs } = this.#arrays as Record<string, NumberArray | undefined>;
    const { count } = this;
    const starts = (startNs as Float64Array).subarray(0, count);
    const durations = durationNs?.subarray(0, count);
    const order = orderByStart(starts, this.#keepsTies ? undefined : durations);
    const columns: Record<string, ColumnArray> = {};
    const specs = new Map(columnSpecs(this.table));
    for (const [name, array] of Object.entries(this.#arrays)) {
      columns[name] = this.#spreads.has(name)
        ? markNarrowest(arranged(array, count, order))
        : narrowlyArranged(specs.get(name), array, count, order);
      // One column at a time is there twice, not all of them.
      delete this.#arrays[name];
    }
    const endNs = lastEnd(starts, durations);
    const { table } = this;
    if (!this.#hasIds) return { table, count, columns, endNs, ids: undefined, order };
    this.ids = arranged(this.ids, count, order);
    return { table, count, columns, endNs, ids: this.ids, order: undefined };
  }
}

/** The columns that every source fills, then the others in the order of the plan: so they are listed. */
function plannedColumns(table: TableName, optional: readonly string[]): [string, ColumnSpec][] {
  const specs = columnSpecs(table);
  const place = ([name]: [string, ColumnSpec]) => optional.indexOf(name);
  return specs
    .filter((column) => column[1].required === true || place(column) >= 0)
    .sort((a, b) => place(a) - place(b));
}

/** The table to whose rows a column refers. */
export function referredTable({ refersTo }: ColumnSpec): TableName | undefined {
  return tableNames.find((table) => table === refersTo);
}

/** The latest end of any row, ns; 0 where there is none. */
export function lastEnd(starts: Float64Array, durations: NumberArray | undefined): number {
  let lastNs = 0;
  for (let row = 0; row < starts.length; row++) {
    const endNs = starts[row] + (durations === undefined ? 0 : durations[row]);
    if (endNs > lastNs) lastNs = endNs;
  }
  return lastNs;
}

function grown<A extends ColumnArray>(array: A, rows: number, none: number): A {
  const larger = sharedLike(array, rows);
  larger.set(array);
  larger.fill(none, array.length);
  return larger;
}

/** What rows refer to when they are added may get another number once the trace is whole, and need more bits then: all but these. */
const settled: readonly (Reference | undefined)[] = [
  ...([undefined, 'thread', 'process', 'cpu'] as const),
  ...(['gpu', 'context', 'stream'] as const),
];

const isSettled = ({ refersTo, isMoment }: ColumnSpec) =>
  isMoment !== true && settled.includes(refersTo);

/** How a column is stored as long as rows are added one by one; of what refers to rows ids. */
function addedType(spec: ColumnSpec, mostNames: number | undefined): StoredType {
  return referredTable(spec) === undefined ? storedType(spec.type, mostNames) : 'f64';
}

/** As `arranged`, and as narrow as its numbers allow where these are settled. */
function narrowlyArranged(
  spec: ColumnSpec | undefined,
  array: ColumnArray,
  rows: number,
  order: Uint32Array | undefined,
): ColumnArray {
  if (spec === undefined || !isSettled(spec)) return arranged(array, rows, order);
  const type = narrowestType(spec, spreadBy(newSpread(), array, rows));
  return markNarrowest(arranged(array, rows, order, columnArray(type, 0)));
}

/** The first `rows` of `array` in their order, stored like `like`, which has room for these numbers. */
function arranged<A extends ColumnArray>(
  array: A,
  rows: number,
  order: Uint32Array | undefined,
  like = array,
): A {
  const type = like.BYTES_PER_ELEMENT === array.BYTES_PER_ELEMENT ? array : like;
  if (order !== undefined) return inOrder(array, order, type);
  if (type === array && rows === array.length) return array;
  const narrow = sharedLike(type, rows);
  narrow.set(array.subarray(0, rows));
  return narrow;
}

/** The cells of `array` at the rows of `order`, stored like `type`. */
function inOrder<A extends ColumnArray>(array: A, order: Uint32Array, type: A): A {
  const sorted = sharedLike(type, order.length);
  const from = bitsOf(array);
  const to = bitsOf(sorted);
  for (let row = 0; row < order.length; row++) to[row] = from[order[row]];
  return sorted;
}

/**
 * The cells without regard to what they mean, as fewer bits hold them too where they suffice: a loop over one of four types
 * of arrays is quick, over one of seven it is not.
 */
function bitsOf({ buffer, byteOffset, length, BYTES_PER_ELEMENT }: ColumnArray) {
  if (BYTES_PER_ELEMENT === 1) return new Uint8Array(buffer, byteOffset, length);
  if (BYTES_PER_ELEMENT === 2) return new Uint16Array(buffer, byteOffset, length);
  if (BYTES_PER_ELEMENT === 4) return new Uint32Array(buffer, byteOffset, length);
  return new Float64Array(buffer, byteOffset, length);
}
