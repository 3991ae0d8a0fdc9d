import { constants, DatabaseSync } from 'node:sqlite';
import { readable } from './readable.ts';

/** What SQLite may take for a statement: sorting and joining in memory, never on the disk. */
const MEMORY_BYTES = 512 * 2 ** 20;

/** Wider than for files from elsewhere: here the tables are ours, and only the statement is not. */
const limits = {
  attach: 0,
  length: 16 * 2 ** 20,
  sqlLength: 100_000,
  column: 500,
  exprDepth: 200,
  compoundSelect: 50,
  vdbeOp: 1_000_000,
  likePatternLength: 1000,
  triggerDepth: 1,
} as const;

/** A column that a statement reads, as SQLite reports it; `''` = only the table is looked at. */
export interface Read {
  readonly table: string;
  readonly column: string;
  /** Named in the statement, not in a view of ours. */
  readonly isNamed: boolean;
}

/**
 * Opens the file for statements of a user: SELECT over its tables and views, and nothing else. What a statement reads
 * is told to `onRead` when it is prepared.
 */
export function openReader(path: string, onRead: (read: Read) => void): DatabaseSync {
  const database = new DatabaseSync(path, { readOnly: true, defensive: true, limits });
  database.exec(
    `PRAGMA hard_heap_limit = ${MEMORY_BYTES}; PRAGMA temp_store = MEMORY; PRAGMA query_only = ON; PRAGMA trusted_schema = OFF`,
  );
  database.setAuthorizer((action, first, second, _database, viewOrTrigger) => {
    if (action !== constants.SQLITE_READ) return allows(action, second);
    const table = (first ?? '').toLowerCase();
    // Of rows that are only counted no column is named, be they of a table or of a WITH of the statement.
    if (second !== '' && !readable.has(table)) return constants.SQLITE_DENY;
    onRead({ table, column: second ?? '', isNamed: viewOrTrigger === null });
    return constants.SQLITE_OK;
  });
  return database;
}

function allows(action: number, second: string | null): number {
  const isAllowed =
    action === constants.SQLITE_SELECT ||
    action === constants.SQLITE_RECURSIVE ||
    (action === constants.SQLITE_FUNCTION && (second ?? '').toLowerCase() !== 'load_extension');
  return isAllowed ? constants.SQLITE_OK : constants.SQLITE_DENY;
}
