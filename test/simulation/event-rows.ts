import {
  type ColumnArray,
  type Columns,
  columnArray,
  reorderColumns,
  storedType,
} from '../../src-main/shared/model/columns.ts';
import { columnSpecs, type TableName } from '../../src-main/shared/model/schema.ts';

/** A row of a table: the columns it names, the others "not known". */
export type EventRow = Readonly<Record<string, number>>;

/** Rows as typed columns sorted by start, with the columns that any row names. */
export function columnsOf<T extends TableName>(table: T, rows: readonly EventRow[]): Columns<T> {
  const columns: Record<string, ColumnArray> = {};
  for (const [name, spec] of columnSpecs(table)) {
    if (spec.required !== true && !rows.some((row) => name in row)) continue;
    const array = columnArray(storedType(spec.type, 0), rows.length);
    rows.forEach((row, index) => {
      array[index] = row[name] ?? spec.none ?? 0;
    });
    columns[name] = array;
  }
  const starts = rows.map((row) => row.startNs ?? 0);
  const order = Uint32Array.from(rows.keys()).sort(
    (left, right) => (starts[left] ?? 0) - (starts[right] ?? 0) || left - right,
  );
  return reorderColumns(table, columns as unknown as Columns<T>, order);
}
