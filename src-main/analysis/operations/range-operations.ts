import type { OperationStats } from '../../shared/answers/operations.ts';
import { type Columns, reorderColumns } from '../../shared/model/columns.ts';
import { type TableName, tableNames } from '../../shared/model/schema.ts';
import type { Table, Tables, Trace } from '../../shared/model/trace.ts';
import { nsInRange } from '../../shared/numbers/range-part.ts';
import { operationStats, type TimeRange } from './operations.ts';

interface TimeColumns {
  readonly startNs: Float64Array;
  readonly durationNs?: Float64Array;
}

/**
 * Statistics of the events that are at least partly in [startNs, endNs), as `operationStats` gives them
 * for a whole trace; the sums are of their parts in it. The recorder's own sums are of other stretches
 * of time: none is compared with.
 */
export function rangeOperations(
  trace: Trace,
  startNs: number,
  endNs: number,
): Omit<OperationStats, 'counted' | 'slowestCall'>[] {
  const range = { startNs, endNs };
  const tables = Object.fromEntries(
    tableNames.map((name) => [name, tableWithin(trace.tables[name], name, range)]),
  ) as unknown as Tables;
  // Rows have other numbers here, so the slowest has none.
  return operationStats({ ...trace, tables }, { bySize: true, range }).map(
    ({ slowestCall: _row, ...stats }) => stats,
  );
}

function tableWithin<T extends TableName>(table: Table<T>, name: T, range: TimeRange): Table<T> {
  const order =
    name === 'aggregate'
      ? new Uint32Array()
      : rowsWithin(table.columns as unknown as TimeColumns, range);
  const columns = reorderColumns(name, table.columns, order) as Columns<T>;
  return { ...table, rows: order.length, columns };
}

function rowsWithin({ startNs, durationNs }: TimeColumns, range: TimeRange): Uint32Array {
  const isWithin = (row: number) => nsInRange(startNs[row], durationNs?.[row] ?? 0, range) >= 0;
  let count = 0;
  for (let row = 0; row < startNs.length; row++) if (isWithin(row)) count++;
  const rows = new Uint32Array(count);
  let next = 0;
  for (let row = 0; row < startNs.length; row++) if (isWithin(row)) rows[next++] = row;
  return rows;
}
