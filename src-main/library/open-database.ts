import { statSync } from 'node:fs';
import { dirname } from 'node:path';
import Database from 'better-sqlite3';
import type { Failure } from '../shared/rpc/result.ts';
import { makeFolderNow } from '../system/make-folder.ts';
import { listBackups } from './backups/backups.ts';
import { finishRestore } from './backups/begun-restore.ts';
import { targetOf } from './backups/restore.ts';
import { findDamage } from './store/find-damage.ts';
import { migrations } from './store/migrations.ts';
import { secureCatalogue } from './store/own-files.ts';
import {
  damaged,
  foreign,
  isDamage,
  storageCode,
  tooNew,
  type Unavailable,
  unavailable,
} from './store/unavailable.ts';

/** How long a write waits for one of another process. */
const BUSY_MS = 5_000;
const BUSY_AGAIN_MS = 5;

export interface OpenFailure extends Failure<Unavailable> {
  /** `not-ours`: it is not even read. */
  readonly cause?: 'damaged' | 'not-ours';
}

type Opened =
  | { readonly ok: true; readonly value: Database.Database }
  | { readonly ok: false; readonly error: OpenFailure };

/** Opens or creates the catalogue at `path`, once it passed its check, and brings it to this version. */
export function openDatabase(path: string, patienceMs = BUSY_MS): Opened {
  let database: Database.Database | undefined;
  try {
    makeFolderNow(dirname(path));
    finishRestore(targetOf(path), dirname(path), patienceMs);
    const secured = secureCatalogue(path);
    if (!secured.ok) return { ok: false, error: { ...secured.error, cause: 'not-ours' } };
    const refused = whileBusy(patienceMs, () => lookInto(path, patienceMs));
    if (refused !== undefined) return { ok: false, error: refused };
    database = new Database(path, { timeout: patienceMs });
    prepareDatabase(database, patienceMs);
    return { ok: true, value: database };
  } catch (thrown) {
    database?.close();
    return isDamage(thrown) ? isDamaged(path, String(thrown)) : unavailable(path, thrown);
  }
}

function isDamaged(path: string, detail: string): { ok: false; error: OpenFailure } {
  const [newest] = listBackups(dirname(path));
  return { ok: false, error: { ...damaged(path, newest, detail), cause: 'damaged' } };
}

/**
 * Why the file must not be written to. By a connection that can't: even the end of one that can would
 * write its log into a damaged file.
 */
function lookInto(path: string, patienceMs: number): OpenFailure | undefined {
  if (statSync(path).size === 0) return undefined;
  const database = new Database(path, { readonly: true, timeout: patienceMs });
  try {
    const version = versionOf(database);
    if (version > migrations.length) return tooNew(path, version, migrations.length);
    if (isForeign(database)) return foreign(path);
    const damage = findDamage(database);
    if (damage === undefined) return undefined;
    return isDamaged(path, damage).error;
  } finally {
    database.close();
  }
}

function prepareDatabase(database: Database.Database, patienceMs: number): void {
  useWal(database, patienceMs);
  // An acknowledged write survives a power cut too: notes are somebody's work.
  database.pragma('synchronous = FULL');
  database.pragma('foreign_keys = ON');
  database.pragma('trusted_schema = OFF');
  migrate(database);
  database.pragma(`busy_timeout = ${BUSY_MS}`);
}

/**
 * Waits for a process that does the same to a new catalogue: to that lock SQLite's own busy_timeout
 * does not apply, since two that wait for each other's would wait for ever.
 */
function useWal(database: Database.Database, patienceMs: number): void {
  whileBusy(patienceMs, () => database.pragma('journal_mode = WAL'));
}

function whileBusy<T>(patienceMs: number, action: () => T): T {
  const giveUpAtMs = performance.now() + patienceMs;
  for (;;) {
    try {
      return action();
    } catch (thrown) {
      const isBusy = /^SQLITE_BUSY/.test(storageCode(thrown) ?? '');
      if (!isBusy || performance.now() > giveUpAtMs) throw thrown;
    }
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, BUSY_AGAIN_MS);
  }
}

/** A database of another program: nothing is written to it. */
export function isForeign(database: Database.Database): boolean {
  // One transaction: another host may be creating the catalogue at this moment.
  return database.transaction(() => {
    const tables = database.prepare<[], string>('SELECT name FROM sqlite_master').pluck().all();
    return versionOf(database) === 0 ? tables.length > 0 : !tables.includes('investigation');
  })();
}

export function versionOf(database: Database.Database): number {
  return database.pragma('user_version', { simple: true }) as number;
}

/** One transaction that looks again at the version inside it: two hosts may start at the same time. */
export function migrate(database: Database.Database): void {
  if (versionOf(database) === migrations.length) return;
  const run = database.transaction(() => {
    for (const step of migrations.slice(versionOf(database))) step(database);
    database.pragma(`user_version = ${migrations.length}`);
  });
  run.immediate();
}

/** Ends a connection to a file that is damaged without writing the log into it. */
export function closeUnwritten(database: Database.Database, path: string): void {
  let other: Database.Database | undefined;
  try {
    // Only the last connection's end writes the log, and this one can't.
    other = new Database(path, { readonly: true });
    versionOf(other);
  } catch {
    // The file can't be read at all: nothing can be written from the log either.
  }
  database.close();
  other?.close();
}
