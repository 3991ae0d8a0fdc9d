import { readFileSync, writeFileSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';

const INTERIOR_TABLE = 5;
const PAGE_SIZE = 16;

/**
 * Makes the first row of `table`, in the database at `path`, say that its header is longer than itself: SQLite finds that only
 * when it reads the row. The row's length and number take a byte each. https://www.sqlite.org/fileformat.html §1.6, §2.1
 */
export function damageFirstRow(path: string, table: string): void {
  const bytes = readFileSync(path);
  const pageBytes = bytes.readUInt16BE(PAGE_SIZE);
  let begin = (rootPage(path, table) - 1) * pageBytes;
  while (bytes[begin] === INTERIOR_TABLE) {
    const child = bytes.readUInt32BE(begin + bytes.readUInt16BE(begin + 12));
    begin = (child - 1) * pageBytes;
  }
  const row = begin + bytes.readUInt16BE(begin + 8);
  bytes[row + 2] = 127;
  writeFileSync(path, bytes);
}

function rootPage(path: string, table: string): number {
  const database = new DatabaseSync(path, { readOnly: true });
  try {
    const sql = 'SELECT rootpage FROM sqlite_schema WHERE name = ?';
    return Number(database.prepare(sql).get(table)?.rootpage);
  } finally {
    database.close();
  }
}
