import { readFileSync, statSync } from 'node:fs';
import Database from 'better-sqlite3';
import { isForeign, migrate, versionOf } from './open-database.ts';
import { migrations } from './store/migrations.ts';
import { overlayWal } from './store/wal-overlay.ts';

/** The catalogue as it is on a disk that can't be written: better than nothing. */
export interface ReadOnlyCopy {
  readonly database: Database.Database;
  /** Whether the files are still those that were read. */
  isCurrent(): boolean;
}

/** Reads the catalogue at `path` into memory, brought to this version; `undefined` where it can't be read. */
export function openReadOnlyCopy(path: string): ReadOnlyCopy | undefined {
  try {
    const before = identity(path);
    const image = overlayWal(readFileSync(path), readLog(path));
    // Written while it was read: a mixture of two states.
    if (image.length === 0 || identity(path) !== before) return undefined;
    const database = new Database(image);
    if (versionOf(database) > migrations.length || isForeign(database)) return undefined;
    migrate(database);
    database.pragma('query_only = ON');
    return { database, isCurrent: () => identity(path) === before };
  } catch {
    // Whoever asked has the reason already: that of the ordinary opening.
    return undefined;
  }
}

function readLog(path: string): Buffer {
  try {
    return readFileSync(`${path}-wal`);
  } catch {
    return Buffer.alloc(0);
  }
}

function identity(path: string): string {
  return [path, `${path}-wal`]
    .map((file) => statSync(file, { throwIfNoEntry: false }))
    .map((stats) => (stats === undefined ? '' : `${stats.ino}:${stats.size}:${stats.mtimeMs}`))
    .join(' ');
}
