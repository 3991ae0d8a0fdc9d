import { constants, DatabaseSync } from 'node:sqlite';

/** Limits of https://www.sqlite.org/security.html §2, loosened to what traces need. */
export const databaseLimits = {
  attach: 0,
  length: 64 * 2 ** 20,
  sqlLength: 100_000,
  column: 500,
  exprDepth: 50,
  compoundSelect: 10,
  vdbeOp: 100_000,
  functionArg: 16,
  likePatternLength: 100,
  variableNumber: 100,
  triggerDepth: 1,
} as const;

/** Opens a database that may be hostile: to be read only, and guarded. Throws what SQLite throws. */
export function openGuarded(url: URL): DatabaseSync {
  const database = new DatabaseSync(url, {
    readOnly: true,
    timeout: 1000,
    defensive: true,
    limits: databaseLimits,
  });
  try {
    if (typeof database.setAuthorizer !== 'function' || database.limits?.attach !== 0)
      throw new Error('this version of Node cannot open databases safely: 24.12 or later can');
    harden(database);
    guardDatabase(database);
  } catch (thrown) {
    database.close();
    throw thrown;
  }
  return database;
}

/** What every database from elsewhere is opened with. */
export function harden(database: DatabaseSync): void {
  database.exec(
    'PRAGMA trusted_schema=OFF; PRAGMA cell_size_check=ON; PRAGMA mmap_size=0; PRAGMA query_only=ON;',
  );
}

const allowedFunctions = new Set(
  'abs avg coalesce count ifnull iif length lower max min nullif round substr sum total typeof'.split(
    ' ',
  ),
);

const pragmasWithoutArgument = new Set(['application_id', 'user_version']);
const pragmasOfTables = new Set(['table_info', 'table_xinfo']);

/** More tables than any trace has; each costs one pragma. */
const MAX_TABLES = 500;

/**
 * Lets `database` read plain tables and do nothing else, for statements prepared from here on.
 * Views, virtual tables and tables with generated columns run code of the file's author when
 * they are read, so touching one is denied (SQLITE_AUTH). Throws what SQLite throws.
 */
function guardDatabase(database: DatabaseSync): void {
  const tables = plainTables(database);
  database.setAuthorizer((action, first, second, _database, viewOrTrigger) => {
    if (viewOrTrigger !== null) return constants.SQLITE_DENY;
    return isAllowed(tables, action, first, second) ? constants.SQLITE_OK : constants.SQLITE_DENY;
  });
}

function isAllowed(
  tables: ReadonlySet<string>,
  action: number,
  first: string | null,
  second: string | null,
): boolean {
  switch (action) {
    case constants.SQLITE_SELECT:
    case constants.SQLITE_RECURSIVE:
      return true;
    case constants.SQLITE_READ:
      return tables.has(folded(first));
    case constants.SQLITE_FUNCTION:
      return allowedFunctions.has(folded(second));
    case constants.SQLITE_PRAGMA:
      if (pragmasOfTables.has(folded(first))) return tables.has(folded(second));
      return second === null && pragmasWithoutArgument.has(folded(first));
    default:
      return false;
  }
}

const folded = (name: string | null) => (name ?? '').toLowerCase();

/**
 * Names of the tables that may be read, lower case. Taken from the schema's text: `PRAGMA
 * table_list` would expand every view, and nested views expand without end.
 */
function plainTables(database: DatabaseSync): Set<string> {
  const names = new Set(['sqlite_schema', 'sqlite_master']);
  const rows = database
    .prepare(
      `SELECT substr(name, 1, 200) AS name FROM sqlite_schema
       WHERE type = 'table' AND rootpage > 0 AND typeof(name) = 'text'
       AND lower(substr(ltrim(sql), 1, 13)) = 'create table ' LIMIT ${MAX_TABLES}`,
    )
    .all();
  for (const { name } of rows) {
    if (typeof name === 'string' && !hasGeneratedColumns(database, name)) names.add(folded(name));
  }
  return names;
}

function hasGeneratedColumns(database: DatabaseSync, table: string): boolean {
  const columns = database.prepare(`PRAGMA table_xinfo("${table.replaceAll('"', '""')}")`).all();
  return columns.some(({ hidden }) => hidden !== 0);
}
