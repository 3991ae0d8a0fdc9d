import type { IntegerArray, NameArray, NumberArray } from '../../shared/model/columns.ts';
import type { TableName } from '../../shared/model/schema.ts';
import { atOnce, inPieces, type Pieces } from '../../shared/numbers/pieces.ts';
import { RowTimes } from './event-times.ts';
import { laneOnce } from './kept-lanes.ts';
import { splitLanes } from './lanes.ts';
import { buildLane, type EventLane, type LaneEvents } from './pyramid.ts';
import { remember } from './remember.ts';
import type { LoadedTables } from './trace-data.ts';
import { type EventKinds, type EventTrack, NO_ROW } from './track-model.ts';

/** From tables to lanes. */

/** The columns every table with events has, as far as its source filled them. */
export interface EventColumns {
  readonly startNs: Float64Array;
  readonly durationNs?: NumberArray;
  readonly thread?: IntegerArray;
  readonly op?: NameArray;
}

/** A table's columns, or nothing where the trace has no rows of it. */
export function eventColumns(tables: LoadedTables, table: TableName): EventColumns | undefined {
  const columns = tables[table] as Partial<EventColumns> | undefined;
  return columns?.startNs === undefined ? undefined : (columns as EventColumns);
}

function isAscending(startNs: Float64Array, rows: Uint32Array): boolean {
  for (let index = 1; index < rows.length; index++)
    if (startNs[rows[index]] < startNs[rows[index - 1]]) return false;
  return true;
}

function sortByStart(startNs: Float64Array, rows: Uint32Array): Uint32Array {
  if (isAscending(startNs, rows)) return rows;
  return rows.sort((a, b) => startNs[a] - startNs[b] || a - b);
}

/** More keys than this have no place each: a damaged file may name any. */
const MOST_PLACES = 1 << 20;

function sortRowsByKey(startNs: Float64Array, keys: ArrayLike<number> | undefined) {
  const { length } = startNs;
  const groups = keys === undefined ? new Map([[-1, rowNumbers(length)]]) : dealRows(keys, length);
  if (length === 0) groups.clear();
  for (const rows of groups.values()) sortByStart(startNs, rows);
  return groups;
}

/** Rows by key, where -1 and less is -1. */
function dealRows(keys: ArrayLike<number>, length: number): Map<number, Uint32Array> {
  let highest = -1;
  for (let row = 0; row < length; row++) if (keys[row] > highest) highest = keys[row];
  if (highest >= MOST_PLACES) return dealSparseRows(keys, length);
  // A place for each key, from -1 on.
  const ends = new Uint32Array(highest + 2);
  for (let row = 0; row < length; row++) ends[Math.max(0, keys[row] + 1)]++;
  for (let place = 1; place < ends.length; place++) ends[place] += ends[place - 1];
  const next = Uint32Array.from(ends, (_, place) => ends[place - 1] ?? 0);
  const all = new Uint32Array(length);
  for (let row = 0; row < length; row++) all[next[Math.max(0, keys[row] + 1)]++] = row;
  const groups = new Map<number, Uint32Array>();
  ends.forEach((end, place) => {
    const begin = ends[place - 1] ?? 0;
    if (end > begin) groups.set(place - 1, all.subarray(begin, end));
  });
  return groups;
}

function dealSparseRows(keys: ArrayLike<number>, length: number): Map<number, Uint32Array> {
  const groups = Map.groupBy(rowNumbers(length), (row) => Math.max(-1, keys[row]));
  return new Map([...groups].map(([key, rows]) => [key, Uint32Array.from(rows)]));
}

function rowNumbers(length: number): Uint32Array {
  const rows = new Uint32Array(length);
  for (let row = 0; row < length; row++) rows[row] = row;
  return rows;
}

/** All rows of a table by a key, each in order of start. */
type RowsByKey = ReadonlyMap<number, Uint32Array>;

const elsewhere = new WeakMap<object, Map<string, () => RowsByKey | undefined>>();

/** The rows of `columns` by `name` are taken from where they are kept already, if `find` finds them there once they are asked for. */
export function takeRowsFrom(
  columns: EventColumns,
  name: string,
  find: () => RowsByKey | undefined,
): void {
  const known = elsewhere.get(columns) ?? new Map<string, () => RowsByKey | undefined>();
  elsewhere.set(columns, known.set(name, find));
}

function rowsElsewhere(columns: EventColumns, name: string): RowsByKey | undefined {
  const found = elsewhere.get(columns)?.get(name)?.();
  if (found === undefined) return undefined;
  for (const rows of found.values()) if (!isAscending(columns.startNs, rows)) return undefined;
  return found;
}

/** Row numbers by the value of a key column, each in order of start. Without the column all are under -1. */
export function rowsByKey(
  columns: EventColumns,
  name: string,
  keys: ArrayLike<number> | undefined,
): RowsByKey {
  return remember(
    columns,
    `rows by ${name}`,
    () => rowsElsewhere(columns, name) ?? sortRowsByKey(columns.startNs, keys),
  );
}

/** All rows of a table in order of start. */
export const allRows = ({ startNs }: EventColumns): Uint32Array =>
  sortByStart(startNs, rowNumbers(startNs.length));

/** Several lists of rows as one, in order of start. */
export function joinRows({ startNs }: EventColumns, lists: readonly Uint32Array[]): Uint32Array {
  const [first] = lists;
  if (first !== undefined && lists.length === 1) return first;
  const all = new Uint32Array(lists.reduce((sum, { length }) => sum + length, 0));
  let offset = 0;
  for (const rows of lists) {
    all.set(rows, offset);
    offset += rows.length;
  }
  return sortByStart(startNs, all);
}

/** The events of some rows, whose times stay in the columns; a missing duration is 0, a negative or broken one too. */
export function gatherEvents(
  columns: EventColumns,
  rows: Uint32Array,
  colourOf: (row: number) => number,
): LaneEvents {
  return atOnce(gatherEventsInPieces(columns, rows, colourOf));
}

/** As gatherEvents, in pieces. */
export function* gatherEventsInPieces(
  columns: EventColumns,
  rows: Uint32Array,
  colourOf: (row: number) => number,
): Pieces<LaneEvents> {
  const colours = new Uint8Array(rows.length);
  yield* inPieces(rows.length, (from, to) => {
    for (let index = from; index < to; index++) colours[index] = colourOf(rows[index]);
  });
  return { times: new RowTimes(columns, rows), rows, colours };
}

/** The kinds of some rows; see EventKinds. */
function kindsOfRows(
  columns: EventColumns,
  rows: Uint32Array,
  kindOf: (row: number) => number,
): EventKinds {
  const kinds = new Map<number, number>();
  for (let index = 0; index < rows.length; index++) {
    const row = rows[index];
    addKind(kinds, kindOf(row), columns.durationNs?.[row] ?? 0);
  }
  return kinds;
}

/** Notes an event of `kind` in `kinds`, which holds the longest of each kind, ns; unknown durations count as 0. */
export function addKind(kinds: Map<number, number>, kind: number, durationNs: number): void {
  const longestNs = kinds.get(kind);
  if (longestNs === undefined || durationNs > longestNs) kinds.set(kind, Math.max(0, durationNs));
}

export interface LaneSource {
  readonly summary: () => EventLane;
  readonly lanes: () => readonly EventLane[];
}

/** `make`, done when first asked and kept for this owner and key. */
export function lazily<Value>(owner: object, key: string, make: () => Value): () => Value {
  return () => remember(owner, key, make);
}

/** Lanes built when they are asked for: all events on one line, and split so that none overlap. */
export function lanesOf(owner: object, key: string, events: () => LaneEvents): LaneSource {
  const summary = laneOnce(owner, `${key} summary`, () => buildLane(events()));
  // All on one line are kept only where that is asked for, or the same.
  const lanes = laneOnce(owner, `${key} lanes`, () => {
    const all = events();
    return splitLanes(all, () => summary(() => buildLane(all)));
  });
  return { summary: () => summary(), lanes: () => lanes() };
}

/** Names and kinds of a track whose kinds are told by a column. */
export function kindsByRow(
  columns: EventColumns,
  rows: Uint32Array,
  key: string,
  by: { readonly kindOf: (row: number) => number; readonly nameOf: (kind: number) => string },
): Pick<EventTrack, 'nameOf' | 'kinds' | 'kindOf' | 'kindName'> {
  return {
    kindOf: (lane, index) => by.kindOf(lane.rows.at(index) ?? NO_ROW),
    kindName: by.nameOf,
    nameOf: (lane, index) => by.nameOf(by.kindOf(lane.rows.at(index) ?? NO_ROW)),
    kinds: lazily(columns, `${key} kinds`, () => kindsOfRows(columns, rows, by.kindOf)),
  };
}
