import type { ColumnArray } from '../../shared/model/columns.ts';
import type { TableName } from '../../shared/model/schema.ts';
import type { Trace } from '../../shared/model/trace.ts';

export type AnyColumns = Readonly<Record<string, ColumnArray | undefined>>;

/** The columns of a table, for code that walks any table. */
export const columnsOf = (trace: Pick<Trace, 'tables'>, table: TableName): AnyColumns =>
  trace.tables[table].columns as unknown as AnyColumns;
