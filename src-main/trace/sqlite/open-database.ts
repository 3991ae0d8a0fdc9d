import { lstatSync } from 'node:fs';
import { basename } from 'node:path';
import type { DatabaseSync } from 'node:sqlite';
import { pathToFileURL } from 'node:url';
import type { Notice } from '../../shared/model/trace.ts';
import { fail, ok, type Result } from '../../shared/rpc/result.ts';
import type { TraceFileError } from '../../shared/rpc/trace-file-errors.ts';
import { cleanText } from '../../shared/text/text.ts';
import { fileFailure } from '../content/file-failure.ts';
import { stampOf } from '../content/plain-file.ts';
import { type DatabaseFile, readDatabaseHeader, truncated } from './database-header.ts';
import { openGuarded } from './guard-database.ts';
import { limitSchema } from './limit-schema.ts';
import {
  copyPrivately,
  type PrivateCopy,
  type SidecarSuffix,
  sidecarSuffixes,
} from './private-copy.ts';
import { settleCopy } from './settle-copy.ts';
import { catchingSqlite } from './sqlite-failure.ts';
import { lostWal } from './wal-losses.ts';

export interface OpenDatabase {
  readonly database: DatabaseSync;
  readonly fileName: string;
  readonly notices: readonly Notice[];
  /** False where the file was written to since it was opened, so that what was read may not fit together. */
  isUnchanged(): boolean;
  /** Closes the database and deletes the private copy, if one was made. */
  close(): void;
}

const COPY_THE_WAL: Notice = {
  level: 'info',
  text: 'If the recorder was still running when this file was copied, the newest events are missing: they were in the “-wal” file beside it.',
};

/**
 * Opens a file that may be hostile as a read-only database of plain tables. The file, its folder
 * and its time stamps stay as they are; what must be written is written to a private copy.
 */
export function openDatabase(
  path: string,
  scratchDir: string,
  fileName?: string,
): Result<OpenDatabase, TraceFileError> {
  const header = readDatabaseHeader(path, fileName);
  if (!header.ok) return header;
  const file = header.value;
  const sidecar = findSidecar(file);
  if (!sidecar.ok) return sidecar;
  // With a log beside it, the missing pages may be in there.
  if (sidecar.value === undefined)
    return file.missingBytes > 0 ? truncated(file, file.missingBytes) : openInPlace(file);
  const copy = copyPrivately(file, sidecar.value, scratchDir);
  return copy.ok ? openCopy(file, copy.value) : copy;
}

/** The log beside the file that holds part of its data, if any. */
export function findSidecar(file: DatabaseFile): Result<SidecarSuffix | undefined, TraceFileError> {
  try {
    for (const suffix of sidecarSuffixes) {
      const stat = lstatSync(file.path + suffix, { throwIfNoEntry: false });
      if (stat === undefined || stat.size === 0) continue;
      if (stat.isFile()) return ok(suffix);
      const message = `“${file.name}${suffix}” is not a plain file: put the file itself beside “${file.name}”.`;
      return fail('file-unsafe', message);
    }
    return ok(undefined);
  } catch (thrown) {
    return fileFailure(thrown, file.name);
  }
}

function openInPlace(file: DatabaseFile): Result<OpenDatabase, TraceFileError> {
  const limited = limitSchema(file, file.path);
  if (!limited.ok) return limited;
  // Of a database in WAL mode, a plain reader would create -wal and -shm; without a -wal there is
  // nothing to wait for, so it is read as if on a read-only medium, which takes no locks either.
  const url = pathToFileURL(file.path);
  if (file.wal) url.search = '?immutable=1';
  const lost = lostWal(file);
  const notices = lost.length > 0 || !file.wal ? lost : [COPY_THE_WAL];
  return catchingSqlite(file.name, () => {
    const opened = openAs(file, url, () => undefined, notices);
    if (!opened.ok || !file.wal || hasSchema(opened.value.database)) return opened;
    opened.value.close();
    // Beside a packed file it has the name of what is in that.
    const log = `${cleanText(basename(file.path), 120)}-wal`;
    const message = `“${file.name}” has no tables yet: its data is in “${log}”, copy that file too.`;
    return fail('file-no-events', message);
  });
}

function openCopy(file: DatabaseFile, copy: PrivateCopy): Result<OpenDatabase, TraceFileError> {
  const opened = catchingSqlite(file.name, () => {
    const settled = settleCopy(file, copy.path);
    if (!settled.ok) return settled;
    const url = pathToFileURL(copy.path);
    url.search = '?immutable=1';
    return openAs(file, url, copy.remove, copy.notices);
  });
  if (!opened.ok) {
    copy.remove();
    return opened;
  }
  // What the recorder does to the original no longer matters.
  return ok({ ...opened.value, isUnchanged: () => true });
}

function openAs(
  file: DatabaseFile,
  url: URL,
  removeCopy: () => void,
  notices: readonly Notice[],
): Result<OpenDatabase, TraceFileError> {
  const before = stampOf(file.path);
  const database = openGuarded(url);
  return ok({
    database,
    fileName: file.name,
    notices,
    isUnchanged: () => stampOf(file.path) === before || stampOf(file.path) === undefined,
    close() {
      database.close();
      removeCopy();
    },
  });
}

function hasSchema(database: DatabaseSync): boolean {
  return database.prepare('SELECT 1 FROM sqlite_schema LIMIT 1').get() !== undefined;
}
