import { type TableName, tableNames } from './schema.ts';

interface Named {
  readonly names: readonly string[];
  readonly nameSources: readonly string[];
}

/** The source of names that stand for a table in `gap.op`. */
export const LOST_SOURCE = 'LOST';

/**
 * Stands for `cuda_call` in `gap.op`, where only launches are missing: the recorder probes them in windows when
 * they come too fast. All other calls are there.
 */
export const LOST_LAUNCHES = 'launch';

/** The table that lost events in a gap with this `op` (docs/format.md); undefined = any may have. */
export function lostTable(named: Named, op: number): TableName | undefined {
  const { names, nameSources } = named;
  if (nameSources[op] !== LOST_SOURCE) return undefined;
  if (lostLaunchesOnly(named, op)) return 'cuda_call';
  return tableNames.find((table) => table === names[op]);
}

/** Whether events of `table` may be among those lost in a gap with this `op`. */
export function mayHaveLost(named: Named, op: number, table: TableName): boolean {
  return (lostTable(named, op) ?? table) === table;
}

/** Whether launches alone are missing in a gap with this `op`. */
export function lostLaunchesOnly({ names, nameSources }: Named, op: number): boolean {
  return nameSources[op] === LOST_SOURCE && names[op] === LOST_LAUNCHES;
}
