import { type TableName, tableNames } from './schema.ts';

/** The source of names that stand for a table in `gap.op`. */
export const LOST_SOURCE = 'LOST';

/** The table that lost events in a gap with this `op` (docs/format.md); undefined = any may have. */
export function lostTable(
  {
    names,
    nameSources,
  }: { readonly names: readonly string[]; readonly nameSources: readonly string[] },
  op: number,
): TableName | undefined {
  if (nameSources[op] !== LOST_SOURCE) return undefined;
  return tableNames.find((table) => table === names[op]);
}

/** Whether events of `table` may be among those lost in a gap with this `op`. */
export function mayHaveLost(
  named: Parameters<typeof lostTable>[0],
  op: number,
  table: TableName,
): boolean {
  return (lostTable(named, op) ?? table) === table;
}
