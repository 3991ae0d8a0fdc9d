import { dirname } from 'node:path';
import Database from 'better-sqlite3';
import { ok, type Result } from '../shared/result.ts';
import { makeFolderNow } from '../system/make-folder.ts';
import { migrations } from './migrations.ts';
import { foreign, storageCode, tooNew, type Unavailable, unavailable } from './unavailable.ts';

/** How long a write waits for one of another process. */
const BUSY_MS = 5_000;
const BUSY_AGAIN_MS = 5;

/** Opens or creates the catalogue at `path` and brings it to this version. */
export function openDatabase(
  path: string,
  patienceMs = BUSY_MS,
): Result<Database.Database, Unavailable> {
  let database: Database.Database | undefined;
  try {
    makeFolderNow(dirname(path));
    database = new Database(path, { timeout: patienceMs });
    const ready = prepareDatabase(database, path, patienceMs);
    if (!ready.ok) database.close();
    return ready;
  } catch (thrown) {
    database?.close();
    return unavailable(path, thrown);
  }
}

function prepareDatabase(
  database: Database.Database,
  path: string,
  patienceMs: number,
): Result<Database.Database, Unavailable> {
  const version = versionOf(database);
  if (version > migrations.length) {
    return { ok: false, error: tooNew(path, version, migrations.length) };
  }
  if (isForeign(database)) return { ok: false, error: foreign(path) };
  useWal(database, patienceMs);
  // An acknowledged write survives a power cut too: notes are somebody's work.
  database.pragma('synchronous = FULL');
  database.pragma('foreign_keys = ON');
  database.pragma('trusted_schema = OFF');
  migrate(database);
  database.pragma(`busy_timeout = ${BUSY_MS}`);
  return ok(database);
}

/**
 * Waits for a process that does the same to a new catalogue: to that lock SQLite's own busy_timeout
 * does not apply, since two that wait for each other's would wait for ever.
 */
function useWal(database: Database.Database, patienceMs: number): void {
  const giveUpAtMs = performance.now() + patienceMs;
  for (;;) {
    try {
      database.pragma('journal_mode = WAL');
      return;
    } catch (thrown) {
      if (storageCode(thrown) !== 'SQLITE_BUSY' || performance.now() > giveUpAtMs) throw thrown;
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
