import {
  closeSync,
  constants,
  fsyncSync,
  futimesSync,
  openSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import type { LibraryBackup } from '../../shared/library/library-health.ts';
import { makeFolderNow } from '../../system/make-folder.ts';
import { isOwnFolder } from '../../system/own-folders.ts';
import { hasEnded, processIdentityOf } from '../../system/process-identity.ts';
import { isOfTheFuture, keptBackups, newestFirst } from './kept-backups.ts';

const NAME = /^library-(\d{4}-\d\d-\d\dT)(\d\d)-(\d\d)-(\d\dZ)\.db$/;
/** With the process that writes it, and which of its backups it is: of one that was killed the next one removes it. */
const PART = /^\.library-([0-9a-f]{16})-(\d+)-(\d+)(?:-\d+)?\.part(?:-journal)?$/;
const PAGES_A_STEP = 500;
/** A catalogue that others write to all the time is copied in one go after this many steps too many. */
const PATIENCE = 3;
/** Bytes 18 and 19 of a database: written through a log, or by itself. sqlite.org/fileformat2.html */
const WRITE_VERSION_AT = 18;

/** Where the catalogue of `dataFolder` has its backups. */
function backupFolder(dataFolder: string): string {
  return join(dataFolder, 'backups');
}

export function backupPath(dataFolder: string, name: string): string {
  return join(backupFolder(dataFolder), `library-${name}.db`);
}

/** What is there, newest first, those of a clock that was ahead last; one that can't be read is left out. */
export function listBackups(dataFolder: string): LibraryBackup[] {
  return names(dataFolder).flatMap((name) => {
    const counted = countRows(backupPath(dataFolder, name));
    return counted === undefined ? [] : [{ name, madeAt: dateOf(name), ...counted }];
  });
}

/** Newest first; those of a clock that was ahead last. */
function names(dataFolder: string): string[] {
  let found: string[] = [];
  if (!isOwnFolder(backupFolder(dataFolder))) return [];
  try {
    found = readdirSync(backupFolder(dataFolder));
  } catch {
    // None was made, or nobody may look.
  }
  const matching = found.filter((file) => NAME.test(file));
  return newestFirst(matching.map((file) => file.slice('library-'.length, -'.db'.length)));
}

function dateOf(name: string): string {
  return `library-${name}.db`.replace(NAME, '$1$2:$3:$4');
}

function countRows(path: string): Omit<LibraryBackup, 'name' | 'madeAt'> | undefined {
  try {
    const database = new Database(path, { readonly: true });
    try {
      const count = (sql: string) => database.prepare<[], number>(sql).pluck().get() ?? 0;
      const entries = count('SELECT count(*) FROM investigation WHERE removed_at IS NULL');
      const notes = count('SELECT count(*) FROM note');
      // Of an older version it has none.
      const keeps = count("SELECT count(*) FROM sqlite_schema WHERE name = 'saved_query'") > 0;
      return { entries, notes, statements: keeps ? count('SELECT count(*) FROM saved_query') : 0 };
    } finally {
      database.close();
    }
  } catch {
    return undefined;
  }
}

/** When the newest was made of what the catalogue held, ms since 1970; 0 = there is none. */
export function newestBackupMs(dataFolder: string): number {
  const [newest] = names(dataFolder);
  if (newest === undefined || isOfTheFuture(newest)) return 0;
  return statSync(backupPath(dataFolder, newest), { throwIfNoEntry: false })?.mtimeMs ?? 0;
}

/**
 * Writes a generation from `database`, which was just found to be sound: by SQLite's own backup, whole
 * or not at all, for the user alone. Other calls are answered meanwhile. Throws where it can't.
 */
export async function writeBackup(database: Database.Database, dataFolder: string): Promise<void> {
  const beganMs = Date.now();
  const part = beginPart(dataFolder);
  try {
    let steps = 0;
    await database.backup(part, {
      progress: ({ totalPages }) =>
        ++steps > PATIENCE * (1 + totalPages / PAGES_A_STEP) ? totalPages : PAGES_A_STEP,
    });
    placePart(part, dataFolder, beganMs);
  } finally {
    removePart(part);
  }
}

/** The bytes of a whole, sound catalogue as a generation. Throws where it can't. */
export function keepImage(image: Buffer, dataFolder: string): void {
  const part = beginPart(dataFolder);
  try {
    writeFileSync(part, image);
    placePart(part, dataFolder, Date.now());
  } finally {
    removePart(part);
  }
}

/** Throws where it can't be made, or is not ours. */
export function makeBackupFolder(dataFolder: string): string {
  const folder = backupFolder(dataFolder);
  makeFolderNow(folder);
  if (isOwnFolder(folder)) return folder;
  const why = `${folder} belongs to another user`;
  throw Object.assign(new Error(why), { code: 'EACCES', syscall: 'open' });
}

/** By this process: two libraries of it may make a backup at once. */
let partsBegun = 0;

function beginPart(dataFolder: string): string {
  const folder = makeBackupFolder(dataFolder);
  removeDeadParts(folder);
  const { place, pid, startTime } = processIdentityOf();
  partsBegun++;
  const part = join(folder, `.library-${place}-${pid}-${startTime}-${partsBegun}.part`);
  const { O_RDWR, O_CREAT, O_EXCL } = constants;
  closeSync(openSync(part, O_RDWR | O_CREAT | O_EXCL, 0o600));
  return part;
}

function placePart(part: string, dataFolder: string, atMs: number): void {
  finish(part, atMs);
  const name = new Date(atMs).toISOString().slice(0, 19).replaceAll(':', '-');
  renameSync(part, backupPath(dataFolder, `${name}Z`));
  flush(backupFolder(dataFolder));
  thinOut(dataFolder);
}

/** Of one that has its place nothing is left to remove. */
function removePart(part: string): void {
  for (const suffix of ['', '-journal']) rmSync(part + suffix, { force: true });
}

/** On the disk, one file that needs no log, with the time of what is in it. */
function finish(part: string, atMs: number): void {
  const file = openSync(part, 'r+');
  try {
    writeSync(file, Buffer.of(1, 1), 0, 2, WRITE_VERSION_AT);
    futimesSync(file, atMs / 1000, atMs / 1000);
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
}

function thinOut(dataFolder: string): void {
  const all = names(dataFolder);
  const kept = keptBackups(all);
  for (const name of all) {
    if (!kept.has(name)) rmSync(backupPath(dataFolder, name), { force: true });
  }
}

function removeDeadParts(folder: string): void {
  for (const name of readdirSync(folder)) {
    const [, place = '', pid, startTime = ''] = PART.exec(name) ?? [];
    const isDead = pid !== undefined && hasEnded({ place, pid: Number(pid), startTime });
    if (isDead) rmSync(join(folder, name), { force: true });
  }
}

function flush(folder: string): void {
  if (process.platform === 'win32') return;
  const handle = openSync(folder, 'r');
  try {
    fsyncSync(handle);
  } finally {
    closeSync(handle);
  }
}
