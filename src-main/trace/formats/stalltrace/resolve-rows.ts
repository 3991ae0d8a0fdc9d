import type { ColumnArray } from '../../../shared/model/columns.ts';
import { NONE, type TableName, tableNames } from '../../../shared/model/schema.ts';
import { IdMap } from '../../build/id-map.ts';
import type { Dangling } from './cell-readers.ts';
import type { ReadTable } from './read-rows.ts';
import { eventColumns, isTableOfRows, type TableOfRows } from './schema.ts';

function positionsOf(ids: ColumnArray, rows: IdMap, dangling: Dangling): Int32Array<ArrayBuffer> {
  const positions = new Int32Array(ids.length);
  for (let row = 0; row < ids.length; row++) {
    const id = ids[row] as number;
    const position = id === NONE ? NONE : rows.positionOf(id);
    if (id !== NONE && position === NONE) dangling.count++;
    positions[row] = position;
  }
  return positions;
}

/** A call or range must lie inside its parent, so parents can't go in circles: others lose theirs. */
function keepEnclosing(columns: Record<string, ColumnArray>, parents: Int32Array): void {
  const starts = columns.startNs as Float64Array;
  const durations = columns.durationNs as Float64Array;
  for (let row = 0; row < parents.length; row++) {
    const parent = parents[row] as number;
    if (parent === NONE) continue;
    const start = starts[row] as number;
    const end = start + (durations[row] as number);
    const parentStart = starts[parent] as number;
    const parentEnd = parentStart + (durations[parent] as number);
    const isTwin = parentStart === start && parentEnd === end;
    if (parentStart > start || parentEnd < end || (isTwin && parent >= row)) parents[row] = NONE;
  }
}

/** Turns ids of rows into their positions, in every column that has them. */
export function resolveRows(
  tables: Partial<Record<TableName, ReadTable>>,
  dangling: Dangling,
): void {
  const maps = new Map<TableOfRows, IdMap>();
  const mapOf = (target: TableOfRows) => {
    const map = maps.get(target) ?? IdMap.of(tables[target]?.rowIds ?? []);
    maps.set(target, map);
    return map;
  };
  for (const name of tableNames) {
    const table = tables[name];
    if (table === undefined) continue;
    for (const { name: column, cell } of eventColumns(name)) {
      const ids = table.columns[column];
      if (ids === undefined || !isTableOfRows(cell)) continue;
      const positions = positionsOf(ids, mapOf(cell), dangling);
      if (cell === name) keepEnclosing(table.columns, positions);
      table.columns[column] = positions;
    }
  }
}
