import { copyFileSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { simulatedTrace } from '../simulated-trace.ts';

/** What says of a trace how it is to be read: with other words it would be another trace. */
const KEPT: Readonly<Record<string, string>> = {
  README: '1',
  meta: '1',
  provenance: `name IN ('table_name', 'column_name', 'kind')`,
  process: `name = 'role'`,
  thread: `name = 'role'`,
  frame: `name = 'language'`,
  notice: `name = 'level'`,
};

/**
 * Writes the simulated job's trace at `path` with `nameOf(n)` for its n-th name: every text of every
 * table, save the CUDA functions', without which nothing would be explained.
 */
export function writeHostileTrace(path: string, nameOf: (at: number) => string): void {
  copyFileSync(simulatedTrace, path);
  const database = new DatabaseSync(path);
  let at = 0;
  database.function('hostile', { deterministic: false }, () => nameOf(at++));
  try {
    database.exec('PRAGMA synchronous = OFF; PRAGMA ignore_check_constraints = ON; BEGIN');
    for (const { name: table } of tablesOf(database)) {
      for (const { name: column } of textColumnsOf(database, String(table))) {
        const kept = table === 'name' ? `WHERE text NOT LIKE 'cuda%'` : '';
        database.exec(`UPDATE "${table}" SET "${column}" = hostile() ${kept}`);
      }
    }
    database.exec('COMMIT');
  } finally {
    database.close();
  }
}

function tablesOf(database: DatabaseSync) {
  return database
    .prepare(`SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite%'`)
    .all();
}

function textColumnsOf(database: DatabaseSync, table: string) {
  const kept = KEPT[table] ?? '0';
  return database
    .prepare(
      `SELECT name FROM pragma_table_info(?) WHERE type = 'TEXT' AND pk = 0 AND NOT (${kept})`,
    )
    .all(table);
}
