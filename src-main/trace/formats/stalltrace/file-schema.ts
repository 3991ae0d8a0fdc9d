import type { DatabaseSync } from 'node:sqlite';
import { type TableName, tableNames } from '../../../shared/model/schema.ts';
import { fail, ok, type Result } from '../../../shared/rpc/result.ts';
import type { TraceFileError } from '../../../shared/rpc/trace-file-errors.ts';
import { type EntityTableName, entityTables } from './entity-tables.ts';
import { eventColumns, FORMAT_VERSION } from './schema.ts';
import { tableInVersion } from './version-0.ts';

interface FileTable {
  /** What the file calls it. */
  readonly sqlName: string;
  readonly columns: ReadonlySet<string>;
}

/** What a file has of what this version knows. */
export interface FileSchema {
  readonly version: number;
  /** By the names that this version gives them. */
  readonly tables: ReadonlyMap<string, FileTable>;
}

const knownTables: readonly string[] = [...Object.keys(entityTables), ...tableNames];

const requiredEntities: readonly EntityTableName[] = ['meta', 'process', 'thread', 'name'];

/** What the file has of what we know. Views and virtual tables in a table's place do not count. */
export function readFileSchema(database: DatabaseSync, version: number): FileSchema {
  const present = new Set(
    database
      .prepare("SELECT name FROM sqlite_schema WHERE type = 'table'")
      .all()
      .map((row) => row.name),
  );
  const tables = new Map<string, FileTable>();
  for (const table of knownTables) {
    const sqlName = tableInVersion(version, table);
    if (sqlName === undefined || !present.has(sqlName)) continue;
    const columns = database.prepare(`PRAGMA table_xinfo(${sqlName})`).all();
    tables.set(table, { sqlName, columns: new Set(columns.map(({ name }) => String(name))) });
  }
  return { version, tables };
}

/** What the file must have and has not: `thread`, `off_cpu.start_ns`. */
function missingParts({ tables }: FileSchema, newer: boolean): string[] {
  const required: string[] = newer ? [...requiredEntities, 'cuda_call'] : [...requiredEntities];
  const missing = required.filter((table) => !tables.has(table));
  for (const table of tableNames) {
    const columns = tables.get(table)?.columns;
    if (columns === undefined) continue;
    for (const { spec, sqlName } of eventColumns(table))
      if (spec.required === true && !columns.has(sqlName)) missing.push(`${table}.${sqlName}`);
  }
  return missing;
}

/**
 * Whether this program can read the file: `file-too-new` names the version it needs, and a file
 * of a version we know that lacks what every file has is `file-damaged`.
 */
export function checkReadable(
  schema: FileSchema,
  readerNeeds: number,
  fileName: string,
): Result<null, TraceFileError> {
  const { version } = schema;
  const newer = version > FORMAT_VERSION;
  const missing = missingParts(schema, newer);
  if (readerNeeds <= FORMAT_VERSION && missing.length === 0) return ok(null);
  const detail = missing.length === 0 ? undefined : `missing: ${missing.slice(0, 20).join(', ')}`;
  if (newer || readerNeeds > FORMAT_VERSION)
    return fail(
      'file-too-new',
      `“${fileName}” needs a Stalltrace that reads version ${Math.max(version, readerNeeds)} of the trace format; this one reads up to version ${FORMAT_VERSION}. Update Stalltrace to open it.`,
      detail,
    );
  return fail(
    'file-damaged',
    `“${fileName}” lacks tables that every Stalltrace file has. Record or copy it again.`,
    detail,
  );
}

/** The event columns of `table` that the file has. */
export function presentColumns(schema: FileSchema, table: TableName) {
  const columns = schema.tables.get(table)?.columns;
  return eventColumns(table).filter((column) => columns?.has(column.sqlName) === true);
}
