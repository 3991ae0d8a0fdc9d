import { constants, DatabaseSync } from 'node:sqlite';
import { pathToFileURL } from 'node:url';
import { fail, ok, type Result } from '../../shared/rpc/result.ts';
import type { TraceFileError } from '../../shared/rpc/trace-file-errors.ts';
import { cleanText } from '../../shared/text/text.ts';
import { readDatabaseHeader, truncated } from '../sqlite/database-header.ts';
import { databaseLimits, harden } from '../sqlite/guard-database.ts';
import { limitSchema } from '../sqlite/limit-schema.ts';
import { findSidecar } from '../sqlite/open-database.ts';
import { catchingSqlite } from '../sqlite/sqlite-failure.ts';

/**
 * Reads every page of the database at `path`, which nobody writes to, and says what is wrong with it.
 * SQLite's `quick_check`: about 6 s a GB. Blocks until done: it belongs in a process of its own.
 */
export function checkTrace(path: string): Result<null, TraceFileError> {
  const header = readDatabaseHeader(path);
  if (!header.ok) return header;
  const file = header.value;
  const sidecar = findSidecar(file);
  if (!sidecar.ok) return sidecar;
  if (sidecar.value !== undefined) {
    const message = `“${file.name}” has a “${sidecar.value}” file beside it, so it is not whole: copy it again once its recorder has ended.`;
    return fail('file-busy', message);
  }
  if (file.missingBytes > 0) return truncated(file, file.missingBytes);
  const limited = limitSchema(file, file.path);
  if (!limited.ok) return limited;
  const url = pathToFileURL(file.path);
  url.search = '?immutable=1';
  return catchingSqlite(file.name, () => quickCheck(url, file.name));
}

function quickCheck(url: URL, fileName: string): Result<null, TraceFileError> {
  const database = new DatabaseSync(url, {
    readOnly: true,
    defensive: true,
    limits: databaseLimits,
  });
  try {
    harden(database);
    // Its author's own code is not run: neither a CHECK with functions nor a virtual table.
    database.exec('PRAGMA ignore_check_constraints=ON');
    database.setAuthorizer((action, first) =>
      action === constants.SQLITE_PRAGMA && first === 'quick_check'
        ? constants.SQLITE_OK
        : constants.SQLITE_DENY,
    );
    const said = String(database.prepare('PRAGMA quick_check(1)').get()?.quick_check ?? '');
    if (said === 'ok') return ok(null);
    const message = `“${fileName}” is damaged inside: copy it again from where it was recorded.`;
    return fail('file-damaged', message, `quick_check: ${cleanText(said, 300)}`);
  } finally {
    database.close();
  }
}
