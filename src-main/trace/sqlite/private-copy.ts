import {
  chmodSync,
  closeSync,
  constants,
  copyFileSync,
  lstatSync,
  openSync,
  readSync,
  rmSync,
  statfsSync,
} from 'node:fs';
import { join } from 'node:path';
import type { Notice } from '../../shared/model/trace.ts';
import { fail, ok, type Result } from '../../shared/rpc/result.ts';
import type { TraceFileError } from '../../shared/rpc/trace-file-errors.ts';
import { formatBytes } from '../../shared/text/units.ts';
import { fileFailure } from '../content/file-failure.ts';
import { makeCopyFolder } from './copy-owner.ts';
import type { DatabaseFile } from './database-header.ts';
import { readWalIndex } from './read-wal-index.ts';
import { walLosses } from './wal-losses.ts';

/**
 * A database with a `-wal` or `-journal` beside it cannot be read in place without writing: SQLite
 * would create `-shm`, check the log into the file or roll it back. So it happens to a copy.
 */

export const sidecarSuffixes = ['-wal', '-journal'] as const;
export type SidecarSuffix = (typeof sidecarSuffixes)[number];

const ATTEMPTS = 3;
/** Room left for everybody else, and for the copy's own `-shm`. */
const SPARE_BYTES = 16 * 2 ** 20;
/** Ends a rollback journal that names a super-journal, https://www.sqlite.org/fileformat.html §3. */
const JOURNAL_MAGIC = Buffer.from('d9d505f920a163d7', 'hex');

export interface PrivateCopy {
  readonly path: string;
  /** What its log can't give back. */
  readonly notices: readonly Notice[];
  remove(): void;
}

/** Copies the database and its sidecar into a folder only this user can read. */
export function copyPrivately(
  file: DatabaseFile,
  sidecar: SidecarSuffix,
  scratchDir: string,
): Result<PrivateCopy, TraceFileError> {
  try {
    const folder = makeCopyFolder(scratchDir);
    const neededBytes = file.sizeBytes + lstatSync(file.path + sidecar).size + SPARE_BYTES;
    const { bavail, bsize } = statfsSync(scratchDir);
    if (bavail * bsize < neededBytes) {
      rmSync(folder, { recursive: true, force: true });
      const message = `Opening “${file.name}” needs ${formatBytes(neededBytes)} for a private copy: free disk space and try again.`;
      return fail('disk-full', message, `${bavail * bsize} bytes free in ${scratchDir}`);
    }
    return copyInto(folder, file, sidecar);
  } catch (thrown) {
    return fileFailure(thrown, file.name);
  }
}

function copyInto(
  folder: string,
  file: DatabaseFile,
  sidecar: SidecarSuffix,
): Result<PrivateCopy, TraceFileError> {
  const path = join(folder, 'trace.db');
  const remove = () => rmSync(folder, { recursive: true, force: true, maxRetries: 3 });
  try {
    for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
      // Before the log, which only grows: what it says of the log is in the log's copy too.
      const index = readWalIndex(`${file.path}-shm`);
      if (!copyOnce(file.path, path, sidecar)) continue;
      if (sidecar === '-journal' && namesSuperJournal(path + sidecar)) {
        remove();
        const message = `“${file.name}” has an unfinished write that spans several databases: open it once with the program that wrote it.`;
        return fail('file-unsafe', message);
      }
      const notices = sidecar === '-wal' ? walLosses(file, path, index) : [];
      return ok({ path, notices, remove });
    }
    remove();
    const message = `“${file.name}” changes faster than it can be copied: stop the recorder, or copy it with \`sqlite3 FILE ".backup COPY"\`.`;
    return fail('file-busy', message);
  } catch (thrown) {
    remove();
    throw thrown;
  }
}

/**
 * Whether a consistent pair was copied. The database must not change meanwhile; a `-wal` may grow:
 * its frames are only ever appended until it starts over with new salts, and SQLite ignores the
 * frames after its last complete commit (https://www.sqlite.org/walformat.html).
 */
function copyOnce(from: string, to: string, sidecar: SidecarSuffix): boolean {
  const before = fingerprint(from, sidecar);
  for (const suffix of ['', sidecar]) {
    copyFileSync(from + suffix, to + suffix, constants.COPYFILE_FICLONE);
    chmodSync(to + suffix, 0o600);
  }
  return fingerprint(from, sidecar) === before;
}

function fingerprint(path: string, sidecar: SidecarSuffix): string {
  const { size, mtimeNs, ino } = lstatSync(path, { bigint: true });
  const database = `${ino} ${size} ${mtimeNs}`;
  if (sidecar === '-wal') return `${database} ${readBytes(path + sidecar, 0, 32).toString('hex')}`;
  const journal = lstatSync(path + sidecar, { bigint: true });
  return `${database} ${journal.ino} ${journal.size} ${journal.mtimeNs}`;
}

function readBytes(path: string, position: number, length: number): Buffer {
  const descriptor = openSync(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
  try {
    const bytes = Buffer.alloc(length);
    return bytes.subarray(0, readSync(descriptor, bytes, 0, length, position));
  } finally {
    closeSync(descriptor);
  }
}

/** SQLite deletes a super-journal once its work is done, and its name is the file author's choice. */
function namesSuperJournal(journal: string): boolean {
  const { size } = lstatSync(journal);
  return size >= 8 && readBytes(journal, size - 8, 8).equals(JOURNAL_MAGIC);
}
