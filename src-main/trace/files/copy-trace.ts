import { createHash } from 'node:crypto';
import {
  type BigIntStats,
  closeSync,
  constants,
  fstatSync,
  fsyncSync,
  openSync,
  readSync,
  rmSync,
  statfsSync,
  writeSync,
} from 'node:fs';
import { dirname } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { fail, ok, type Result } from '../../shared/rpc/result.ts';
import type { Progress } from '../../shared/rpc/rpc.ts';
import type { TraceFileError } from '../../shared/rpc/trace-file-errors.ts';
import { formatBytes } from '../../shared/text/units.ts';
import { fileFailure } from '../content/file-failure.ts';
import type { TraceCopy } from '../content/trace-copy.ts';
import { type DatabaseFile, readDatabaseHeader, truncated } from '../sqlite/database-header.ts';
import { databaseLimits } from '../sqlite/guard-database.ts';
import { findSidecar } from '../sqlite/open-database.ts';
import { copyPrivately, type PrivateCopy } from '../sqlite/private-copy.ts';
import { settleCopy } from '../sqlite/settle-copy.ts';
import { catchingSqlite } from '../sqlite/sqlite-failure.ts';
import { keepNotices } from './kept-notices.ts';

interface CopyOptions {
  /** Where the log of a recorder is checked into a private copy first. */
  readonly scratchDir: string;
  progress(progress: Progress): void;
}

const CHUNK_BYTES = 4 * 2 ** 20;
/** Left free on the disk for everybody else. */
const SPARE_BYTES = 16 * 2 ** 20;

/**
 * Copies the database at `path` to `target`, which must not exist, as one file: what its recorder
 * still has in a `-wal` or `-journal` is in it. The source stays as it is; of a copy that fails
 * nothing is left. Blocks until done: it belongs in a process of its own.
 */
export function copyTrace(
  path: string,
  target: string,
  options: CopyOptions,
): Result<TraceCopy, TraceFileError> {
  const header = readDatabaseHeader(path);
  if (!header.ok) return header;
  const file = header.value;
  const sidecar = findSidecar(file);
  if (!sidecar.ok) return sidecar;
  if (sidecar.value !== undefined) {
    const copy = copyPrivately(file, sidecar.value, options.scratchDir);
    if (!copy.ok) return copy;
    try {
      return catchingSqlite(file.name, () => {
        const settled = settleCopy(file, copy.value.path);
        if (!settled.ok) return settled;
        endLogs(copy.value);
        return copyFile(file, copy.value.path, target, options);
      });
    } finally {
      copy.value.remove();
    }
  }
  if (file.missingBytes > 0) return truncated(file, file.missingBytes);
  const copied = copyFile(file, file.path, target, options);
  const now = copied.ok ? findSidecar(file) : ok(undefined);
  if (now.ok && now.value === undefined) return copied;
  rmSync(target, { force: true });
  return now.ok ? changed(file) : now;
}

/** Keeps what the log could not give, and ends the copy's use of logs: else it would ask for one. */
function endLogs({ path, notices }: PrivateCopy): void {
  const database = new DatabaseSync(path, {
    timeout: 1000,
    defensive: true,
    limits: databaseLimits,
  });
  try {
    database.exec('PRAGMA trusted_schema=OFF; PRAGMA cell_size_check=ON; PRAGMA mmap_size=0;');
    keepNotices(database, notices);
    const mode = database.prepare('PRAGMA journal_mode=DELETE').get()?.journal_mode;
    if (mode !== 'delete') throw new Error(`the journal mode of a private copy stayed ${mode}`);
  } finally {
    database.close();
  }
}

function copyFile(
  file: DatabaseFile,
  from: string,
  target: string,
  options: CopyOptions,
): Result<TraceCopy, TraceFileError> {
  let source: number | undefined;
  let written: number | undefined;
  let copied: TraceCopy | undefined;
  try {
    source = openSync(from, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
    const before = fstatSync(source, { bigint: true });
    const { bavail, bsize } = statfsSync(dirname(target));
    if (bavail * bsize < Number(before.size) + SPARE_BYTES)
      return noRoom(file, `${bavail * bsize} bytes free`);
    written = openSync(target, 'wx', 0o600);
    const all = pump(source, written, before.size, (doneBytes) =>
      options.progress({
        fraction: Math.min(1, doneBytes / Number(before.size)),
        text: `Copying ${file.name}`,
      }),
    );
    if (!isSame(before, fstatSync(source, { bigint: true }), all.sizeBytes)) return changed(file);
    fsyncSync(written);
    copied = all;
    return ok(all);
  } catch (thrown) {
    return copyFailure(thrown, file);
  } finally {
    if (source !== undefined) closeSync(source);
    if (written !== undefined) closeSync(written);
    if (written !== undefined && copied === undefined) rmSync(target, { force: true });
  }
}

/** Copies to the end of `source`, or just past where it was, in one pass; hashes on the way. */
function pump(
  source: number,
  target: number,
  endBytes: bigint,
  progress: (doneBytes: number) => void,
): TraceCopy {
  const hash = createHash('sha256');
  const chunk = Buffer.alloc(CHUNK_BYTES);
  let sizeBytes = 0;
  for (;;) {
    const length = readSync(source, chunk, 0, CHUNK_BYTES, null);
    // One that grows as fast as it is read has no end.
    if (length === 0 || sizeBytes > endBytes) return { sha256: hash.digest('hex'), sizeBytes };
    const bytes = chunk.subarray(0, length);
    hash.update(bytes);
    for (let done = 0; done < length; ) done += writeSync(target, bytes, done);
    sizeBytes += length;
    progress(sizeBytes);
  }
}

function isSame(before: BigIntStats, after: BigIntStats, copiedBytes: number): boolean {
  return (
    before.mtimeNs === after.mtimeNs &&
    [before.size, after.size].every((size) => size === BigInt(copiedBytes))
  );
}

function changed({ name }: DatabaseFile): Result<never, 'file-busy'> {
  return fail(
    'file-busy',
    `“${name}” was written to while it was copied: stop the recorder, then add it again.`,
  );
}

function noRoom({ name, sizeBytes }: DatabaseFile, detail: string): Result<never, 'disk-full'> {
  return fail(
    'disk-full',
    `The disk of the library has no room for a copy of “${name}” (${formatBytes(sizeBytes)}): free disk space and try again.`,
    detail,
  );
}

function copyFailure(thrown: unknown, file: DatabaseFile): Result<never, TraceFileError> {
  const failure = fileFailure(thrown, file.name);
  if (failure.ok || failure.error.code !== 'disk-full') return failure;
  return noRoom(file, failure.error.detail ?? '');
}
