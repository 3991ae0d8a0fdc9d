import { allocateColumns, type Columns } from '../../shared/model/columns.ts';
import { type TableName, tableNames } from '../../shared/model/schema.ts';
import type { Provenance, Table, Tables } from '../../shared/model/trace.ts';
import { type AbsenceReasons, absentColumns, absentTable } from './absence.ts';
import type { RowsSoFar } from './rows.ts';

/** How far a table can be trusted, and what its source calls what is in it. */
export interface TableNotes {
  readonly provenance: Provenance;
  readonly recordedAs: Table<TableName>['recordedAs'];
  /** Of columns that differ from the table, absent ones where the source says itself why. */
  readonly columnProvenance?: Readonly<Record<string, Provenance>>;
}

/** What a source says of its tables; those that it is silent about are absent. */
export interface TableFacts {
  readonly notes: Partial<Record<TableName, TableNotes>>;
  /** Left out where the source gives its own reasons, or none. */
  readonly absence?: AbsenceReasons;
}

const notRecorded: TableNotes['recordedAs'] = { source: '', op: '' };

/** All tables of a trace, with what is known of each. */
export function assembleTables(
  filled: ReadonlyMap<TableName, RowsSoFar>,
  { notes, absence }: TableFacts,
): Tables {
  const tables = tableNames.map((table): [TableName, Table<TableName>] => {
    const said = notes[table];
    const columns = filled.get(table)?.columns ?? allocateColumns(table, 0);
    return [
      table,
      {
        rows: filled.get(table)?.count ?? 0,
        columns: columns as unknown as Columns<TableName>,
        provenance: said?.provenance ?? absentTable(table, absence),
        columnProvenance: {
          ...(absence !== undefined && absentColumns(table, columns, absence)),
          ...said?.columnProvenance,
        },
        recordedAs: said?.recordedAs ?? notRecorded,
      },
    ];
  });
  return Object.fromEntries(tables) as unknown as Tables;
}
