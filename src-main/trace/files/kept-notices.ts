import type { DatabaseSync } from 'node:sqlite';
import type { Notice } from '../../shared/model/trace.ts';
import { MAX_NAME_LENGTH } from '../../shared/text/text.ts';
import { columnNames, readRows, text, textColumn } from '../sqlite/read-table.ts';

/**
 * A copy that was made of a database and its log is one whole file: nothing in it tells any more that
 * the log was damaged. So what was found then stands in a table of the copy, of whatever format it is.
 */
const TABLE = 'stalltrace_copy_notice';
const MAX_NOTICES = 20;
const MAX_LENGTH = 1000;

/**
 * Writes what is to be known of the copy into it. Throws what SQLite throws, also where there is such a
 * table already: of a copy nobody makes a log again.
 */
export function keepNotices(database: DatabaseSync, notices: readonly Notice[]): void {
  if (notices.length === 0) return;
  database.exec(`CREATE TABLE ${TABLE}(level TEXT, text TEXT)`);
  const insert = database.prepare(`INSERT INTO ${TABLE} VALUES (?, ?)`);
  for (const { level, text: words } of notices) insert.run(level, words);
}

export function readKeptNotices(database: DatabaseSync): Notice[] {
  const columns = columnNames(database, TABLE);
  if (!columns.has('text')) return [];
  const cells = ['level', 'text'].map((column) => textColumn(columns, column, MAX_LENGTH));
  const rows = readRows(database, `SELECT ${cells.join()} FROM ${TABLE} LIMIT ${MAX_NOTICES}`);
  const notices = Array.from(rows, ([level, words]): Notice => {
    const isWarning = text(level, MAX_NAME_LENGTH) === 'warning';
    return { level: isWarning ? 'warning' : 'info', text: text(words, MAX_LENGTH) };
  });
  return notices.filter((notice) => notice.text !== '');
}
