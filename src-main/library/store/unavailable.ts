import Database from 'better-sqlite3';
import type { LibraryBackup } from '../../shared/library/library-health.ts';
import { describeThrown, type Failure, fail, type Result } from '../../shared/rpc/result.ts';
import { formatLocalMinute } from '../../shared/text/dates.ts';
import { backupWords } from '../../shared/words/backup-words.ts';

export type Unavailable = 'library-unavailable';

/** The code of a failure of SQLite or of the file system; `undefined` for anything else: a bug. */
export function storageCode(thrown: unknown): string | undefined {
  if (thrown instanceof Database.SqliteError) return thrown.code;
  const { code, syscall } = (thrown ?? {}) as NodeJS.ErrnoException;
  return syscall === undefined ? undefined : code;
}

/** One sentence with the next step; what is no failure of the storage is thrown on. */
export function unavailable(path: string, thrown: unknown): Result<never, Unavailable> {
  const code = storageCode(thrown);
  if (code === undefined) throw thrown;
  return fail('library-unavailable', sentence(path, code), `${code}: ${describeThrown(thrown)}`);
}

/** Whether SQLite found the file damaged. */
export function isDamage(thrown: unknown): boolean {
  return /CORRUPT|NOTADB/.test(storageCode(thrown) ?? '');
}

export function isDiskFull(code: string): boolean {
  return /^(SQLITE_FULL|ENOSPC|EDQUOT|SQLITE_IOERR_SHMSIZE)$/.test(code);
}

/** ENOENT: what Node says of a folder below one that is read-only. */
export function isRefused(code: string): boolean {
  return /READONLY|CANTOPEN|EACCES|EROFS|ENOENT|EPERM|SQLITE_PERM|ENOTDIR|EEXIST|EISDIR|IOERR_SHMOPEN|IOERR_DELETE/.test(
    code,
  );
}

function sentence(path: string, code: string): string {
  if (isDiskFull(code)) {
    return `The disk that holds the library ${path} is full: free some space and try again.`;
  }
  if (isRefused(code)) {
    return `The library ${path} can't be written: check the folder's permissions, or set STALLTRACE_DATA_DIR to a folder of yours.`;
  }
  if (/BUSY|LOCKED/.test(code)) {
    return `The library ${path} is held by another program: close it and try again.`;
  }
  if (/CORRUPT|NOTADB/.test(code)) return damagedSentence(path, undefined);
  return `The library ${path} can't be read or written: check its disk and try again.`;
}

/** `newest`: its newest backup. Both hosts and the command line show this. */
export function damaged(
  path: string,
  newest: LibraryBackup | undefined,
  detail: string,
): Failure<Unavailable> {
  return { code: 'library-unavailable', message: damagedSentence(path, newest), detail };
}

function damagedSentence(path: string, newest: LibraryBackup | undefined): string {
  return newest === undefined
    ? `The library ${path} is damaged: move it away and Stalltrace starts a new one; your trace files are not touched.`
    : `The library ${path} is damaged, so nothing is written to it: restore ${nameOf(newest)}, ${HOW_TO_RESTORE}.`;
}

const HOW_TO_RESTORE = 'in the Library screen or with “stalltrace library --restore newest”';

function nameOf(backup: LibraryBackup): string {
  return `the backup of ${formatLocalMinute(backup.madeAt)} (${backupWords(backup)})`;
}

/** The file was deleted, or another one has its name, while it was in use. */
export function replaced(
  path: string,
  isAnother: boolean,
  newest: LibraryBackup | undefined,
): Failure<Unavailable> {
  const what = isAnother ? 'was replaced by another file' : 'was deleted or moved away';
  const next = isAnother ? 'start Stalltrace again to use that one' : 'put it back';
  const restore = newest === undefined ? '' : `, or restore ${nameOf(newest)}`;
  return {
    code: 'library-unavailable',
    message: `The library ${path} ${what} while it was in use, so nothing more is saved: ${next}${restore}.`,
  };
}

export function notOurs(path: string): Result<never, Unavailable> {
  return fail(
    'library-unavailable',
    `${path} belongs to another user, or is a link of theirs: set STALLTRACE_DATA_DIR to a folder that only you can write.`,
  );
}

export function tooNew(path: string, version: number, known: number): Failure<Unavailable> {
  return {
    code: 'library-unavailable',
    message: `The library ${path} was written by a newer Stalltrace (version ${version}, this one knows ${known}): update Stalltrace, or set STALLTRACE_DATA_DIR to another folder.`,
  };
}

export function foreign(path: string): Failure<Unavailable> {
  return {
    code: 'library-unavailable',
    message: `${path} is a database of another program: set STALLTRACE_DATA_DIR to a folder of its own.`,
  };
}
