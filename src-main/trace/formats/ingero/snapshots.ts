import type { DatabaseSync } from 'node:sqlite';
import { median } from '../../../shared/numbers/percentile.ts';
import { columnNames, columnOr, readRows, real } from '../../sqlite/read-table.ts';
import type { Recording } from './add-events.ts';
import { type Nodes, nodeColumn } from './nodes.ts';
import { MAX_DISTANCE_NS } from './raw-events.ts';

/** Columns of `system_snapshots` and what they are called with their unit. */
const metrics = [
  ['cpu_pct', 'CPU (%)'],
  ['mem_pct', 'memory (%)'],
  ['mem_avail', 'memory available (MiB)'],
  ['swap_mb', 'swap (MiB)'],
  ['load_avg', 'load (1 min)'],
] as const;

export interface RawSnapshots {
  /** Time of each snapshot from the base the reader was given, sorted. */
  readonly rows: {
    startNs: number;
    readonly values: readonly (number | undefined)[];
    /** Which of the machines it is of, where the snapshots say it. */
    readonly node?: number;
  }[];
  readonly skipped: number;
}

export function readSnapshots(
  database: DatabaseSync,
  baseUnixNs: bigint,
  nodes: Nodes | undefined,
): RawSnapshots {
  const columns = columnNames(database, 'system_snapshots');
  if (!columns.has('timestamp')) return { rows: [], skipped: 0 };
  const values = metrics.map(([column]) => columnOr(columns, column, 'NULL')).join(', ');
  const rows: RawSnapshots['rows'] = [];
  let skipped = 0;
  const isNodeTold = nodes !== undefined && columns.has('node');
  const sql = `SELECT timestamp, ${nodeColumn(columns)}, ${values} FROM system_snapshots`;
  for (const [timestamp, node, ...cells] of readRows(database, sql)) {
    const startNs =
      typeof timestamp === 'bigint' ? Number(timestamp - baseUnixNs) : Number.POSITIVE_INFINITY;
    if (Math.abs(startNs) <= MAX_DISTANCE_NS)
      rows.push({
        ...{ startNs, values: cells.map(real) },
        ...(isNodeTold && { node: nodes.indexOf(node) }),
      });
    else skipped++;
  }
  rows.sort((a, b) => a.startNs - b.startNs);
  return { rows, skipped };
}

/** Adds the `sample` table: one row per snapshot and metric. */
export function addSamples({ trace }: Recording, snapshots: RawSnapshots): void {
  const rows = trace.rows('sample');
  const indexes = metrics.map(([, name]) => trace.names.add(name));
  for (const { startNs, values } of snapshots.rows)
    for (const [metric, value] of values.entries()) {
      if (value === undefined) continue;
      const at = rows.add();
      rows.columns.startNs[at] = startNs;
      rows.columns.metric[at] = indexes[metric];
      rows.columns.value[at] = value;
    }
}

/** How far apart snapshots are, ns. */
export interface SnapshotIntervals {
  readonly medianNs: number;
  readonly longestNs: number;
}

/** `undefined` where there are fewer than two snapshots. */
export function snapshotIntervals(snapshots: RawSnapshots): SnapshotIntervals | undefined {
  const gaps = snapshots.rows
    .slice(1)
    .map(({ startNs }, at) => startNs - (snapshots.rows[at]?.startNs ?? startNs));
  const medianNs = median(gaps);
  if (medianNs === undefined) return undefined;
  return { medianNs, longestNs: gaps.reduce((longest, ns) => Math.max(longest, ns), medianNs) };
}
