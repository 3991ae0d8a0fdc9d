import type { ColumnArray } from './columns.ts';
import type { TableName } from './schema.ts';
import type { Trace } from './trace.ts';

export type AnyColumns = Readonly<Record<string, ColumnArray | undefined>>;

/** The columns of a table, for code that walks any table. */
export const columnsOf = (trace: Pick<Trace, 'tables'>, table: TableName): AnyColumns =>
  trace.tables[table].columns as unknown as AnyColumns;
