import { DatabaseSync } from 'node:sqlite';
import { ok, type Result } from '../../shared/rpc/result.ts';
import type { TraceFileError } from '../../shared/rpc/trace-file-errors.ts';
import { readDatabaseHeader } from '../sqlite/database-header.ts';
import { databaseLimits } from '../sqlite/guard-database.ts';
import { openDatabase } from '../sqlite/open-database.ts';
import { columnNames } from '../sqlite/read-table.ts';
import { catchingSqlite } from '../sqlite/sqlite-failure.ts';

/**
 * Older recorders wrote where the kernel's functions lay in memory. Whoever gets such a trace knows where
 * they lie until that machine starts again, which is half of an attack on it.
 */

/** Tables with an `address`. In SQLite's signed integers the kernel's half is negative. */
const TABLES = ['frame', 'mapping', 'page_fault'] as const;
const IN_KERNEL = "typeof(address) = 'integer' AND address < 0";

/** An address of the kernel written as text; with five levels of pages its half begins at ff00…. */
const WRITTEN = /^(?:0x)?ff[0-9a-f]{14}$/i;
/** What stands for a function of the kernel whose name is not known. */
export const KERNEL_FILE = '[kernel]';

/** `symbol`, where it is not an address of the kernel. */
export function withoutKernelAddress(symbol: string): string {
  return WRITTEN.test(symbol) ? KERNEL_FILE : symbol;
}

function tablesWithAddresses(database: DatabaseSync): string[] {
  return TABLES.filter(
    (table) =>
      columnNames(database, table).has('address') &&
      database.prepare(`SELECT 1 FROM ${table} WHERE ${IN_KERNEL} LIMIT 1`).get() !== undefined,
  );
}

/** Whether a trace holds addresses of the kernel. Blocks until done: it belongs in a process of its own. */
export function holdsKernelAddresses(
  path: string,
  scratchDir: string,
): Result<boolean, TraceFileError> {
  const opened = openDatabase(path, scratchDir);
  if (!opened.ok) return opened;
  const { database, fileName, close } = opened.value;
  try {
    return catchingSqlite(fileName, () => ok(tablesWithAddresses(database).length > 0));
  } finally {
    close();
  }
}

/**
 * Removes them from the file at `path`, a copy of ours without a log, and what earlier rows left of them in
 * unused pages. Blocks until done: it belongs in a process of its own.
 */
export function hideKernelAddresses(path: string): Result<null, TraceFileError> {
  const header = readDatabaseHeader(path);
  if (!header.ok) return header;
  return catchingSqlite(header.value.name, () => {
    const database = new DatabaseSync(path, {
      defensive: true,
      // VACUUM attaches the new file.
      limits: { ...databaseLimits, attach: 1 },
    });
    try {
      database.exec(
        'PRAGMA trusted_schema=OFF; PRAGMA cell_size_check=ON; PRAGMA mmap_size=0; PRAGMA journal_mode=MEMORY; PRAGMA secure_delete=ON',
      );
      removeFrom(database);
    } finally {
      database.close();
    }
    return ok(null);
  });
}

function removeFrom(database: DatabaseSync): void {
  const triggers = database.prepare(`SELECT 1 FROM sqlite_schema WHERE type = 'trigger'`).get();
  // No recorder makes one, and its author's code is not run: then the column is read as it is.
  if (triggers !== undefined) return;
  const tables = tablesWithAddresses(database);
  if (tables.length === 0) return;
  for (const table of tables)
    database.exec(`UPDATE ${table} SET address = NULL WHERE ${IN_KERNEL}`);
  database.exec('VACUUM');
}
