import { type TableName, tableNames, tableSpecs } from '../../../shared/model/schema.ts';
import { type EntityTable, entityTables, metaKeys } from './entity-tables.ts';
import { eventColumns, fileDoc, isTableOfRows, rowIdColumns } from './schema.ts';

/** Whether the file of a trace has this column: columns nobody recorded are left out. */
export type HasColumn = (table: TableName, column: string) => boolean;

const everyColumn: HasColumn = () => true;

interface DocumentedColumn {
  readonly sqlName: string;
  readonly sqlType: string;
  readonly unit: string;
  readonly meaning: string;
}

export interface DocumentedTable {
  readonly name: string;
  readonly doc: string;
  readonly columns: readonly DocumentedColumn[];
}

function entityTable([name, table]: [string, EntityTable]): DocumentedTable {
  const columns = Object.entries(table.columns).map(([sqlName, column]) => ({
    sqlName,
    sqlType: column.sqlType,
    unit: column.unit,
    meaning: column.doc,
  }));
  return { name, doc: table.doc, columns };
}

function eventTable(table: TableName, has: HasColumn): DocumentedTable {
  const columns = eventColumns(table)
    .filter((column) => column.spec.required === true || has(table, column.name))
    .map((column) => ({
      sqlName: column.sqlName,
      sqlType: column.sqlType,
      unit: column.unit,
      meaning: fileDoc(column),
    }));
  if (isTableOfRows(table)) {
    const { sqlName, unit, doc } = rowIdColumns[table];
    columns.unshift({ sqlName, sqlType: 'INTEGER', unit, meaning: `${doc}; NULL = has none` });
  }
  // The model is sorted; a file has its rows as they were written.
  const doc = tableSpecs[table].doc.replace(', sorted by start', '');
  return { name: table, doc, columns };
}

/** Tables of the things events refer to, then tables of events. */
export function documentedTables(has: HasColumn = everyColumn): DocumentedTable[] {
  return [
    ...Object.entries(entityTables).map(entityTable),
    ...tableNames.map((table) => eventTable(table, has)),
  ];
}

/**
 * The statements that create a file's tables. Plain rowid tables without constraints, so that old
 * versions of SQLite read them and rows are appended as fast as they come.
 */
export function createStatements(has: HasColumn = everyColumn): string[] {
  return documentedTables(has).map(({ name, columns }) => {
    const lines = columns.map(({ sqlName, sqlType }) => `  ${sqlName} ${sqlType}`.trimEnd());
    return `CREATE TABLE ${name} (\n${lines.join(',\n')}\n)`;
  });
}

/** The rows of the file's README table: `[table_name, column_name, unit, meaning]`. */
export function readmeRows(has: HasColumn = everyColumn): [string, string, string, string][] {
  const rows: [string, string, string, string][] = [];
  for (const { name, doc, columns } of documentedTables(has)) {
    rows.push([name, '', '', doc]);
    for (const { sqlName, unit, meaning } of columns) rows.push([name, sqlName, unit, meaning]);
    if (name === 'meta')
      for (const { key, doc } of metaKeys) rows.push([name, `key ${key}`, '', doc]);
  }
  return rows;
}
