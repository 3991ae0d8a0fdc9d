import { unknownCode } from '../../../shared/model/codes.ts';
import { NONE, type TableName } from '../../../shared/model/schema.ts';
import type { IdMap } from '../../build/id-map.ts';
import type { NameBuilder } from '../../build/names.ts';
import { NULL_CELL } from '../../sqlite/number-cells.ts';
import type { StackPlaces } from './read-frames.ts';
import { codeCount, type EventColumn } from './schema.ts';

/** What ids of event rows lead to. Those of rows are resolved when all were read. */
export interface IdMaps {
  readonly host: IdMap;
  readonly process: IdMap;
  readonly thread: IdMap;
  readonly context: IdMap;
  readonly stream: IdMap;
  readonly gpu: IdMap;
  readonly stack: StackPlaces;
  readonly name: IdMap;
  /** Gives the name of what has to have one and has none. */
  readonly names: NameBuilder;
}

/**
 * Turns cells, as number-cells.ts has them, into numbers of the model's column, and marks the rows that must be
 * left out with 1. What the cells of a marked row hold is nobody's.
 */
export type ColumnReader = (cells: Float64Array, unusable: Uint8Array) => void;

/** The number of one cell in the model's column, NaN where the row must be left out. */
type CellReader = (cell: number) => number;

/** Ids without an entity, counted over the whole file. */
export interface Dangling {
  count: number;
}

const HIGHEST: Readonly<Record<string, number>> = {
  f64: Number.MAX_SAFE_INTEGER,
  i32: 2 ** 31 - 1,
  u32: 2 ** 32 - 1,
  u8: 2 ** 8 - 1,
};

function eachCell(read: CellReader): ColumnReader {
  return (cells, unusable) => {
    for (let row = 0; row < cells.length; row++) {
      if (unusable[row] === 1) continue;
      const value = read(cells[row]);
      cells[row] = value;
      if (Number.isNaN(value)) unusable[row] = 1;
    }
  };
}

/** Most cells by far are such integers: they are not handed to a function each. */
function integersUpTo(highest: number, none: number): ColumnReader {
  return (cells, unusable) => {
    for (let row = 0; row < cells.length; row++) {
      const cell = cells[row];
      if (cell >= 0 && cell <= highest && Math.floor(cell) === cell) continue;
      if (cell === NULL_CELL && !Number.isNaN(none)) cells[row] = none;
      else unusable[row] = 1;
    }
  };
}

function integers({ spec }: EventColumn): ColumnReader {
  return integersUpTo(HIGHEST[spec.type] ?? 0, spec.none ?? Number.NaN);
}

function numbers({ spec }: EventColumn): ColumnReader {
  const none = spec.none ?? Number.NaN;
  return eachCell((cell) => (cell === NULL_CELL ? none : cell));
}

/** A code this version does not know reads as "not known". */
function codes({ spec }: EventColumn): ColumnReader {
  const unknown = unknownCode(spec.unit);
  const count = codeCount(spec.unit);
  return eachCell((cell) => {
    if (cell === NULL_CELL) return unknown;
    if (!Number.isSafeInteger(cell) || cell < 0) return Number.NaN;
    return cell < count ? cell : unknown;
  });
}

interface IdPlaces {
  readonly ids: IdMap;
  readonly dangling: Dangling;
  /** What stands where there is no id. */
  readonly absent: () => number;
  /** What stands for an id that nobody has: NaN leaves the row out. */
  readonly unknown: () => number;
}

function places({ ids, dangling, absent, unknown }: IdPlaces): ColumnReader {
  return (cells, unusable) => {
    for (let row = 0; row < cells.length; row++) {
      if (unusable[row] === 1) continue;
      const cell = cells[row];
      const isId = Number.isSafeInteger(cell);
      let position = isId ? ids.positionOf(cell) : NONE;
      if (position === NONE && isId) {
        dangling.count++;
        position = unknown();
      } else if (position === NONE) position = cell === NULL_CELL ? absent() : Number.NaN;
      cells[row] = position;
      if (Number.isNaN(position)) unusable[row] = 1;
    }
  };
}

const none = () => NONE;

function idColumn(ids: IdMap, dangling: Dangling): ColumnReader {
  return places({ ids, dangling, absent: none, unknown: none });
}

function nameColumn(
  { spec }: EventColumn,
  { name, names }: IdMaps,
  dangling: Dangling,
): ColumnReader {
  if (spec.none !== undefined) return idColumn(name, dangling);
  const notKnown = () => names.addNotKnown();
  return places({ ids: name, dangling, absent: notKnown, unknown: notKnown });
}

/** In `sample`, no GPU means the machine: a value of an unknown GPU must not become its. */
function gpuColumn(table: TableName, ids: IdMap, dangling: Dangling): ColumnReader {
  const unknown = table === 'sample' ? () => Number.NaN : none;
  return places({ ids, dangling, absent: none, unknown });
}

function stackColumn({ ids, rows }: StackPlaces, dangling: Dangling): ColumnReader {
  const read = idColumn(ids, dangling);
  return (cells, unusable) => {
    read(cells, unusable);
    for (let row = 0; row < cells.length; row++)
      if (cells[row] >= 0) cells[row] = rows[cells[row]] ?? cells[row];
  };
}

/** The id of a row itself; one that is none is nobody's. */
export const readRowId: ColumnReader = eachCell((cell) =>
  Number.isSafeInteger(cell) ? cell : NONE,
);

/** How the cells of a column of `table` are read. */
export function createColumnReader(
  table: TableName,
  column: EventColumn,
  maps: IdMaps,
  dangling: Dangling,
): ColumnReader {
  switch (column.cell) {
    case 'integer':
      return integers(column);
    case 'number':
      return numbers(column);
    case 'code':
      return codes(column);
    case 'name':
      return nameColumn(column, maps, dangling);
    case 'cuda_call':
    case 'range':
      // The id itself: positions are not known yet.
      return integersUpTo(Number.MAX_SAFE_INTEGER, NONE);
    case 'gpu':
      return gpuColumn(table, maps.gpu, dangling);
    case 'stack':
      return stackColumn(maps.stack, dangling);
    default:
      return idColumn(maps[column.cell], dangling);
  }
}
