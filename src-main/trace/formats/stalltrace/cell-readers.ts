import { unknownCode } from '../../../shared/model/codes.ts';
import { NONE, type TableName } from '../../../shared/model/schema.ts';
import type { IdMap } from '../../build/id-map.ts';
import type { NameBuilder } from '../../build/names.ts';
import type { Cell } from '../../sqlite/row-query.ts';
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

/** The number of a cell in the model's column, NaN where the row must be left out. */
export type CellReader = (cell: Cell) => number;

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

function integerReader({ spec }: EventColumn): CellReader {
  const none = spec.none ?? Number.NaN;
  const highest = HIGHEST[spec.type] ?? 0;
  return (cell) => {
    if (typeof cell !== 'number') return cell === null ? none : Number.NaN;
    return Number.isSafeInteger(cell) && cell >= 0 && cell <= highest ? cell : Number.NaN;
  };
}

function numberReader({ spec }: EventColumn): CellReader {
  const none = spec.none ?? Number.NaN;
  return (cell) => {
    if (typeof cell !== 'number') return cell === null ? none : Number.NaN;
    return Number.isFinite(cell) ? cell : Number.NaN;
  };
}

/** A code this version does not know reads as "not known". */
function codeReader({ spec }: EventColumn): CellReader {
  const unknown = unknownCode(spec.unit);
  const codes = codeCount(spec.unit);
  return (cell) => {
    if (typeof cell !== 'number') return cell === null ? unknown : Number.NaN;
    if (!Number.isSafeInteger(cell) || cell < 0) return Number.NaN;
    return cell < codes ? cell : unknown;
  };
}

function idReader(ids: IdMap, dangling: Dangling, otherwise: () => number): CellReader {
  return (cell) => {
    if (typeof cell !== 'number') return cell === null ? otherwise() : Number.NaN;
    if (!Number.isSafeInteger(cell)) return Number.NaN;
    const position = ids.positionOf(cell);
    if (position !== NONE) return position;
    dangling.count++;
    return otherwise();
  };
}

function nameReader(
  { spec }: EventColumn,
  { name, names }: IdMaps,
  dangling: Dangling,
): CellReader {
  if (spec.none !== undefined) return idReader(name, dangling, () => NONE);
  return idReader(name, dangling, () => names.addNotKnown());
}

/** In `sample`, no GPU means the machine: a value of an unknown GPU must not become its. */
function gpuReader(table: TableName, read: CellReader): CellReader {
  if (table !== 'sample') return read;
  return (cell) => {
    const position = read(cell);
    return position === NONE && cell !== null ? Number.NaN : position;
  };
}

function stackReader({ ids, rows }: StackPlaces, dangling: Dangling): CellReader {
  const read = idReader(ids, dangling, () => NONE);
  return (cell) => {
    const position = read(cell);
    return rows[position] ?? position;
  };
}

/** How the cells of a column of `table` are read. */
export function createCellReader(
  table: TableName,
  column: EventColumn,
  maps: IdMaps,
  dangling: Dangling,
): CellReader {
  switch (column.cell) {
    case 'integer':
      return integerReader(column);
    case 'number':
      return numberReader(column);
    case 'code':
      return codeReader(column);
    case 'name':
      return nameReader(column, maps, dangling);
    case 'cuda_call':
    case 'range':
      // The id itself: positions are not known yet.
      return (cell) => {
        if (typeof cell !== 'number') return cell === null ? NONE : Number.NaN;
        return Number.isSafeInteger(cell) && cell >= 0 ? cell : Number.NaN;
      };
    case 'gpu':
      return gpuReader(
        table,
        idReader(maps.gpu, dangling, () => NONE),
      );
    case 'stack':
      return stackReader(maps.stack, dangling);
    default:
      return idReader(maps[column.cell], dangling, () => NONE);
  }
}
