import { rmSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { ok, type Result } from '../../shared/rpc/result.ts';
import type { TraceFileError } from '../../shared/rpc/trace-file-errors.ts';
import type { TraceCopy } from '../content/trace-copy.ts';
import { readDatabaseHeader, truncated } from '../sqlite/database-header.ts';
import { databaseLimits } from '../sqlite/guard-database.ts';
import { findSidecar } from '../sqlite/open-database.ts';
import { copyPrivately, type PrivateCopy } from '../sqlite/private-copy.ts';
import { settleCopy } from '../sqlite/settle-copy.ts';
import { catchingSqlite } from '../sqlite/sqlite-failure.ts';
import { type CopyOptions, changedMeanwhile, copyBytes } from './copy-bytes.ts';
import { keepNotices } from './kept-notices.ts';

interface CopyTraceOptions extends CopyOptions {
  /** Where the log of a recorder is checked into a private copy first. */
  readonly scratchDir: string;
}

/**
 * Copies the database at `path` to `target`, which must not exist, as one file: what its recorder
 * still has in a `-wal` or `-journal` is in it. The source stays as it is; of a copy that fails
 * nothing is left. Blocks until done: it belongs in a process of its own.
 */
export function copyTrace(
  path: string,
  target: string,
  options: CopyTraceOptions,
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
        return copyBytes(file, copy.value.path, target, options);
      });
    } finally {
      copy.value.remove();
    }
  }
  if (file.missingBytes > 0) return truncated(file, file.missingBytes);
  const copied = copyBytes(file, file.path, target, options);
  const now = copied.ok ? findSidecar(file) : ok(undefined);
  if (now.ok && now.value === undefined) return copied;
  rmSync(target, { force: true });
  return now.ok ? changedMeanwhile(file) : now;
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
