import type { ColumnName } from '../../shared/model/columns.ts';
import { columnSpecs, type TableName } from '../../shared/model/schema.ts';
import type { Provenance } from '../../shared/model/trace.ts';

/** Why a source can't fill what it leaves empty, each in one sentence that a person reads. */
export interface AbsenceReasons {
  /** Of tables and columns that have no reason of their own. */
  readonly otherwise: string;
  readonly tables: Partial<Record<TableName, string>>;
  readonly columns: { readonly [T in TableName]?: Partial<Record<ColumnName<T>, string>> };
}

/** The provenance of a table that was not filled. */
export function absentTable(table: TableName, reasons: AbsenceReasons | undefined): Provenance {
  return { kind: 'absent', note: reasons?.tables[table] ?? reasons?.otherwise ?? '' };
}

/** The provenance of each column that `columns` lacks. */
export function absentColumns(
  table: TableName,
  columns: object,
  reasons: AbsenceReasons,
): Record<string, Provenance> {
  const own: Readonly<Record<string, string | undefined>> = reasons.columns[table] ?? {};
  const absent: Record<string, Provenance> = {};
  // A row that names no host is of the only one.
  for (const [name, spec] of columnSpecs(table))
    if (spec.required !== true && spec.refersTo !== 'host' && !(name in columns))
      absent[name] = { kind: 'absent', note: own[name] ?? reasons.otherwise };
  return absent;
}
