import { unknownCode } from '../../shared/model/codes.ts';
import { type ColumnArray, columnArray, storedType } from '../../shared/model/columns.ts';
import { columnsOf } from '../../shared/model/columns-of.ts';
import { hostOfSample } from '../../shared/model/hosts.ts';
import {
  type ColumnSpec,
  columnSpecs,
  NONE,
  type TableName,
  tableNames,
} from '../../shared/model/schema.ts';
import type { Table, Tables, Trace } from '../../shared/model/trace.ts';
import type { Part, PlacedPart } from './merge-input.ts';
import { placesInOrder } from './merge-order.ts';
import { mergeColumnProvenance, mergeTableProvenance } from './merge-provenance.ts';
import { listed, type Places } from './places.ts';

/** A part and where its rows of one table go. */
interface Filling {
  readonly trace: Trace;
  readonly shiftNs: number;
  readonly places: Places;
  readonly rowPlaces: Uint32Array;
}

/** One table for each of all parts, sorted by start; `names` is how many names there are now. */
export function mergeTables(parts: readonly PlacedPart[], names: number): Tables {
  const rowPlaces = Object.fromEntries(
    tableNames.map((table) => [table, placesInOrder(parts.map((part) => startsOf(part, table)))]),
  ) as Record<TableName, Uint32Array[]>;
  const allPlaces = parts.map(
    ({ entityPlaces }, at): Places => ({
      ...entityPlaces,
      cuda_call: listed(rowPlaces.cuda_call[at]),
      range: listed(rowPlaces.range[at]),
    }),
  );
  const tables = tableNames.map((table) => {
    const fillings = parts.map(({ trace, shiftNs }, at) => {
      return { trace, shiftNs, places: allPlaces[at], rowPlaces: rowPlaces[table][at] };
    });
    return [table, mergeTable(table, parts, fillings, names)];
  });
  return Object.fromEntries(tables) as Tables;
}

function startsOf({ trace, shiftNs }: Part, table: TableName): Float64Array {
  return trace.tables[table].columns.startNs.map((startNs) => startNs + shiftNs);
}

function mergeTable(
  table: TableName,
  parts: readonly Part[],
  fillings: readonly Filling[],
  names: number,
): Table<TableName> {
  const rows = fillings.reduce((sum, { rowPlaces }) => sum + rowPlaces.length, 0);
  const columns: Record<string, ColumnArray> = {};
  for (const [name, spec] of columnSpecs(table)) {
    if (!fillings.some((part) => hasColumn(part, table, name, spec, parts.length))) continue;
    const merged = columnArray(storedType(spec.type, names), rows);
    for (const filling of fillings) fill(merged, table, name, spec, filling, parts.length);
    columns[name] = merged;
  }
  const all = parts.map(({ trace }) => trace.tables[table].recordedAs);
  return {
    rows,
    columns: columns as never,
    provenance: mergeTableProvenance(table, parts),
    columnProvenance: mergeColumnProvenance(table, parts),
    recordedAs: all.find(({ source, op }) => source !== '' || op !== '') ?? all[0],
  };
}

/** Of several traces, rows say their host wherever they can. */
function hasColumn(
  { trace }: Filling,
  table: TableName,
  name: string,
  { required, refersTo }: ColumnSpec,
  parts: number,
): boolean {
  const isTold = refersTo === 'host' && parts > 1;
  return required === true || isTold || columnsOf(trace, table)[name] !== undefined;
}

/** Writes a part's cells of one column to their places. */
function fill(
  merged: ColumnArray,
  table: TableName,
  name: string,
  spec: ColumnSpec,
  { trace, shiftNs, places, rowPlaces }: Filling,
  parts: number,
): void {
  const cells = columnsOf(trace, table)[name];
  const { refersTo, none, unit } = spec;
  const shift = spec.isMoment === true ? shiftNs : 0;
  const renumber = refersTo === undefined ? undefined : places[refersTo];
  const unknown = none ?? unknownCode(unit);
  const hostOf = refersTo === 'host' && parts > 1 ? impliedHost(trace, table) : undefined;
  for (let row = 0; row < rowPlaces.length; row++) {
    const own = cells?.[row] ?? unknown;
    const cell = hostOf !== undefined && own === NONE ? hostOf(row) : own;
    merged[rowPlaces[row]] = renumber === undefined ? cell + shift : placed(cell, renumber, none);
  }
}

/** An index that names nothing names nothing afterwards either. */
function placed(cell: number, renumber: (number: number) => number, none = NONE): number {
  return cell === none ? none : renumber(cell);
}

/** The host of rows that don't say it, as far as the trace alone tells. */
function impliedHost(trace: Trace, table: TableName): (row: number) => number {
  if (table === 'sample') return (row) => hostOfSample(trace, row);
  const only = trace.hosts.length === 1 ? 0 : NONE;
  return () => only;
}
