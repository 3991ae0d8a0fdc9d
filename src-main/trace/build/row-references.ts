import type { ColumnArray } from '../../shared/model/columns.ts';
import { columnSpecs, NONE, type TableName } from '../../shared/model/schema.ts';
import { IdMap } from './id-map.ts';
import { referredTable, type SortedRows } from './rows.ts';
import { sharedLike } from './shared-array.ts';

type PositionOf = (reference: number) => number;

/**
 * Turns what refers to rows (ids, or the numbers that `add` gave) into their positions, in every column
 * that does. The result is how many referred to nothing.
 */
export function resolveReferences(tables: ReadonlyMap<TableName, SortedRows>): number {
  const targets = new Map<TableName, PositionOf>();
  let dangling = 0;
  for (const { table, columns } of tables.values())
    for (const [name, spec] of columnSpecs(table)) {
      const target = referredTable(spec);
      const references = columns[name];
      if (target === undefined || references === undefined) continue;
      const positionOf = targets.get(target) ?? positionsIn(tables.get(target));
      targets.set(target, positionOf);
      const positions = sharedLike(new Int32Array(), references.length);
      for (let row = 0; row < positions.length; row++) {
        const reference = references[row];
        positions[row] = reference === NONE ? NONE : positionOf(reference);
        if (positions[row] === NONE && reference !== NONE) dangling++;
      }
      if (target === table) keepEnclosing(columns, positions);
      columns[name] = positions;
    }
  return dangling;
}

/** Where what refers to `rows` leads, `NONE` where it leads nowhere. */
function positionsIn(rows: SortedRows | undefined): PositionOf {
  if (rows === undefined) return () => NONE;
  const { count, ids, order } = rows;
  if (ids !== undefined) {
    const map = IdMap.of(ids);
    return (id) => map.positionOf(id);
  }
  if (order === undefined) return (added) => (added < count ? added : NONE);
  const positions = new Int32Array(count);
  for (let position = 0; position < count; position++) positions[order[position]] = position;
  return (added) => positions[added] ?? NONE;
}

/** A call or range must lie inside its parent, so parents can't go in circles: others lose theirs. */
function keepEnclosing(columns: Record<string, ColumnArray>, parents: Int32Array): void {
  const { startNs, durationNs } = columns;
  for (let row = 0; row < parents.length; row++) {
    const parent = parents[row];
    if (parent === NONE) continue;
    const end = startNs[row] + durationNs[row];
    const parentEnd = startNs[parent] + durationNs[parent];
    const isTwin = startNs[parent] === startNs[row] && parentEnd === end;
    if (startNs[parent] > startNs[row] || parentEnd < end || (isTwin && parent >= row))
      parents[row] = NONE;
  }
}
