import { closeSync, fsyncSync, openSync, renameSync, rmSync } from 'node:fs';
import { dirname } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { columnsOf } from '../../../shared/model/columns-of.ts';
import type { Trace } from '../../../shared/model/trace.ts';
import { describeThrown, fail, ok, type Result } from '../../../shared/rpc/result.ts';
import { createStatements, type HasColumn } from './create.ts';
import { APPLICATION_ID, FORMAT_VERSION } from './schema.ts';
import { writeEntities } from './write-entities.ts';
import { writeEvents } from './write-rows.ts';

export type TraceWriteError = 'disk-full' | 'not-writable';

/** Primary result code of SQLite, https://www.sqlite.org/rescode.html#full. */
const SQLITE_FULL = 13;
const SQLITE_IOERR = 10;
const SQLITE_READONLY = 8;
const SQLITE_CANTOPEN = 14;

function isDiskFull(error: Error): boolean {
  if ('errcode' in error && typeof error.errcode === 'number')
    return (error.errcode & 0xff) === SQLITE_FULL;
  return 'code' in error && (error.code === 'ENOSPC' || error.code === 'EDQUOT');
}

/** Whether the file system or SQLite's use of it failed; anything else is a bug. */
function isFileTrouble(error: Error): boolean {
  if ('errcode' in error && typeof error.errcode === 'number')
    return [SQLITE_IOERR, SQLITE_READONLY, SQLITE_CANTOPEN].includes(error.errcode & 0xff);
  return 'syscall' in error;
}

function writeFailure(thrown: unknown, path: string): Result<never, TraceWriteError> {
  const detail = describeThrown(thrown);
  if (thrown instanceof Error && isDiskFull(thrown))
    return fail('disk-full', `There is no room to write ${path}: free some space.`, detail);
  if (thrown instanceof Error && isFileTrouble(thrown))
    return fail('not-writable', `${path} cannot be written: choose another folder.`, detail);
  throw thrown;
}

/** Forces a file, or a folder's list of files, to the disk. */
function syncToDisk(path: string, flags: 'r' | 'r+'): void {
  // Windows opens no folders.
  if (flags === 'r' && process.platform === 'win32') return;
  const descriptor = openSync(path, flags);
  try {
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}

function writeDatabase(path: string, trace: Trace): void {
  const has: HasColumn = (table, column) => columnsOf(trace, table)[column] !== undefined;
  const database = new DatabaseSync(path);
  try {
    // The file gets its name only when it is whole, so neither a journal nor a sync on the way helps.
    database.exec('PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF; PRAGMA page_size = 4096');
    database.exec(`PRAGMA application_id = ${APPLICATION_ID}`);
    database.exec(`PRAGMA user_version = ${FORMAT_VERSION}`);
    database.exec('BEGIN');
    for (const statement of createStatements(has)) database.exec(statement);
    writeEntities(database, trace, has);
    writeEvents(database, trace);
    database.exec('COMMIT');
  } finally {
    database.close();
  }
}

/**
 * Writes a whole trace as one file of our format, replacing `path` in one step: a failure leaves
 * what was there. The same trace gives the same bytes with the same SQLite.
 */
export function writeTraceFile(path: string, trace: Trace): Result<null, TraceWriteError> {
  const partial = `${path}.${process.pid}.partial`;
  try {
    rmSync(partial, { force: true });
    writeDatabase(partial, trace);
    syncToDisk(partial, 'r+');
    renameSync(partial, path);
    syncToDisk(dirname(path), 'r');
    return ok(null);
  } catch (thrown) {
    rmSync(partial, { force: true });
    return writeFailure(thrown, path);
  }
}
