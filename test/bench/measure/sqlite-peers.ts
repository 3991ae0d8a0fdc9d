import { spawnSync } from 'node:child_process';
import { performance } from 'node:perf_hooks';
import { constants, DatabaseSync } from 'node:sqlite';
import { tableNames } from '../../../src-main/shared/model/schema.ts';

/**
 * The peers of whatever reads a trace: SQLite reading every column of its events, in C by the `sqlite3`
 * shell and in JavaScript by node:sqlite. Of a file in another's format the columns that Stalltrace reads.
 */

export const SHELL = 'sqlite3 shell, C';
export const NODE = 'node:sqlite';

interface ReadTable {
  /** Quoted, as are the columns. */
  readonly table: string;
  readonly columns: readonly string[];
}

/** The events of a trace of our own. */
function readTables(path: string): ReadTable[] {
  const database = new DatabaseSync(path, { readOnly: true });
  const all = database
    .prepare("SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite%'")
    .all()
    .map(({ name }) => String(name));
  const ours = all.filter((name) => (tableNames as readonly string[]).includes(name));
  const tables = ours.map((table) => ({
    table: quoted(table),
    columns: database
      .prepare(`PRAGMA table_info(${quoted(table)})`)
      .all()
      .map(({ name }) => quoted(String(name))),
  }));
  database.close();
  return tables;
}

const quoted = (name: string) => `"${name.replaceAll('"', '""')}"`;

/**
 * The columns of the file at `path` that `work` reads by statements of this thread; other threads read no others. By the
 * statements that are prepared meanwhile, which SQLite itself takes apart.
 */
export function tablesReadBy(path: string, work: () => void): ReadTable[] {
  const statements = statementsOf(work);
  const database = new DatabaseSync(path, { readOnly: true });
  const read = new Map<string, Set<string>>();
  database.setAuthorizer((action, table, column) => {
    if (
      action === constants.SQLITE_READ &&
      table !== null &&
      column !== null &&
      column !== '' &&
      column !== 'ROWID'
    )
      read.set(table, (read.get(table) ?? new Set()).add(column));
    return constants.SQLITE_OK;
  });
  for (const statement of statements) database.prepare(statement);
  database.close();
  return [...read]
    .filter(([table]) => !table.startsWith('sqlite_'))
    .map(([table, columns]) => ({ table: quoted(table), columns: [...columns].map(quoted) }));
}

function statementsOf(work: () => void): ReadonlySet<string> {
  const statements = new Set<string>();
  const { prepare } = DatabaseSync.prototype;
  DatabaseSync.prototype.prepare = function (this: DatabaseSync, sql, ...options) {
    statements.add(sql);
    return prepare.call(this, sql, ...options);
  };
  try {
    work();
  } finally {
    DatabaseSync.prototype.prepare = prepare;
  }
  return statements;
}

/** How long C takes to decode every cell, ms. */
export function readByShell(path: string, tables: readonly ReadTable[] = readTables(path)): number {
  const sql = tables
    .map(({ table, columns }) => `SELECT ${columns.map((c) => `total(${c})`)} FROM ${table};`)
    .join('\n');
  const begun = performance.now();
  const args = ['-readonly', `file:${path}?immutable=1`];
  const { status, stderr } = spawnSync('sqlite3', args, { input: sql, encoding: 'utf8' });
  if (status !== 0) throw new Error(`the peer failed: ${stderr}`);
  return performance.now() - begun;
}

/** How long JavaScript takes to be given every cell, and to add up the numbers, ms. */
export function readByNode(path: string): number {
  const tables = readTables(path);
  const begun = performance.now();
  const database = new DatabaseSync(path, { readOnly: true });
  let sum = 0;
  for (const { table, columns } of tables) {
    const statement = database.prepare(`SELECT ${columns} FROM ${table}`);
    statement.setReturnArrays(true);
    for (const row of statement.iterate() as unknown as Iterable<unknown[]>)
      for (const cell of row) if (typeof cell === 'number') sum += cell;
  }
  database.close();
  const ms = performance.now() - begun;
  if (!Number.isFinite(sum)) throw new Error('the peer read what no trace holds');
  return ms;
}
