import { type Columns, reorderColumns } from '../shared/model/columns.ts';
import { type TableName, tableNames } from '../shared/model/schema.ts';
import type { Table, Tables, Trace } from '../shared/model/trace.ts';
import type { OperationStats } from '../shared/operations.ts';
import { operationStats } from './operations.ts';

/**
 * Statistics of the events that start in [startNs, endNs), as `operationStats` gives them for a whole
 * trace. The recorder's own sums are of other stretches of time: none is compared with.
 */
export function rangeOperations(
  trace: Trace,
  startNs: number,
  endNs: number,
): Omit<OperationStats, 'counted' | 'slowestCall'>[] {
  const tables = Object.fromEntries(
    tableNames.map((name) => [name, tableWithin(trace.tables[name], name, startNs, endNs)]),
  ) as unknown as Tables;
  // Rows have other numbers here, so the slowest has none.
  return operationStats({ ...trace, tables }, { bySize: true }).map(
    ({ slowestCall: _row, ...stats }) => stats,
  );
}

function tableWithin<T extends TableName>(
  table: Table<T>,
  name: T,
  startNs: number,
  endNs: number,
): Table<T> {
  const starts = (table.columns as unknown as { startNs: Float64Array }).startNs;
  const order = name === 'aggregate' ? new Uint32Array() : rowsWithin(starts, startNs, endNs);
  const columns = reorderColumns(name, table.columns, order) as Columns<T>;
  return { ...table, rows: order.length, columns };
}

function rowsWithin(starts: Float64Array, startNs: number, endNs: number): Uint32Array {
  const isWithin = (row: number) => starts[row] >= startNs && starts[row] < endNs;
  let count = 0;
  for (let row = 0; row < starts.length; row++) if (isWithin(row)) count++;
  const rows = new Uint32Array(count);
  let next = 0;
  for (let row = 0; row < starts.length; row++) if (isWithin(row)) rows[next++] = row;
  return rows;
}
