import { copyFileSync, existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { testFolder } from '../testing/test-library.ts';
import { overlayWal } from './wal-overlay.ts';

/** The rows of a database in memory. */
function rowsOf(image: Buffer): unknown[] {
  const database = new Database(image);
  try {
    expect(database.pragma('integrity_check', { simple: true })).toBe('ok');
    return database.prepare('SELECT id, text FROM t ORDER BY id').raw().all();
  } finally {
    database.close();
  }
}

function bytesOf(path: string): Buffer {
  return existsSync(path) ? readFileSync(path) : Buffer.alloc(0);
}

const step = fc.oneof(
  fc.record({ kind: fc.constant('insert' as const), size: fc.nat(9_000) }),
  fc.record({ kind: fc.constant('delete' as const), size: fc.nat(20) }),
  fc.record({ kind: fc.constant('checkpoint' as const), size: fc.constantFrom(0, 1, 2) }),
  fc.record({ kind: fc.constant('rolled back' as const), size: fc.nat(9_000) }),
  fc.record({ kind: fc.constant('vacuum' as const), size: fc.constant(0) }),
);

describe('a database with its log, in memory', () => {
  test('has what SQLite reads from both files, after any writes and checkpoints', () => {
    fc.assert(
      fc.property(
        fc.array(step, { maxLength: 25 }),
        fc.constantFrom(512, 4096, 65_536),
        (steps, page) => {
          const path = join(testFolder(), 'a.db');
          const database = new Database(path);
          database.pragma(`page_size = ${page}`);
          database.pragma('journal_mode = WAL');
          database.exec('CREATE TABLE t (id INTEGER PRIMARY KEY, text TEXT)');
          const insert = database.prepare('INSERT INTO t (text) VALUES (?)');
          for (const { kind, size } of steps) {
            if (kind === 'insert') insert.run('x'.repeat(size));
            if (kind === 'delete') database.prepare('DELETE FROM t WHERE id % 20 = ?').run(size);
            if (kind === 'checkpoint') {
              database.pragma(`wal_checkpoint(${['PASSIVE', 'RESTART', 'TRUNCATE'][size]})`);
            }
            if (kind === 'vacuum') database.exec('VACUUM');
            if (kind === 'rolled back') {
              database.exec('BEGIN');
              insert.run('y'.repeat(size));
              database.exec('ROLLBACK');
            }
          }
          const expected = database.prepare('SELECT id, text FROM t ORDER BY id').raw().all();
          expect(rowsOf(overlayWal(bytesOf(path), bytesOf(`${path}-wal`)))).toEqual(expected);
          database.close();
          expect(rowsOf(overlayWal(bytesOf(path), Buffer.alloc(0)))).toEqual(expected);
        },
      ),
      { numRuns: 40 },
    );
  });

  test('takes nothing from the torn or foreign end of a log, like SQLite', () => {
    const folder = testFolder();
    const path = join(folder, 'a.db');
    const database = new Database(path);
    database.pragma('journal_mode = WAL');
    database.exec('CREATE TABLE t (id INTEGER PRIMARY KEY, text TEXT)');
    for (let id = 1; id <= 5; id++) database.prepare('INSERT INTO t VALUES (?, ?)').run(id, 'x');
    const [file, wal] = [bytesOf(path), bytesOf(`${path}-wal`)];
    copyFileSync(path, join(folder, 'b.db'));
    database.close();
    const rows = (log: Buffer) => {
      try {
        return rowsOf(overlayWal(Buffer.from(file), log)).length;
      } catch (thrown) {
        // The log began with the table itself.
        expect(String(thrown)).toMatch(/no such table/);
        return -1;
      }
    };
    expect(rows(wal)).toBe(5);
    expect(rows(wal.subarray(0, wal.length - 1))).toBe(4);
    const torn = Buffer.from(wal);
    torn.writeUInt8((torn.at(-1) ?? 0) ^ 1, torn.length - 1);
    expect(rows(torn)).toBe(4);
    const foreign = Buffer.from(wal);
    foreign.fill(7, 16, 24);
    expect(rows(foreign)).toBe(-1);
    expect(rows(Buffer.from('no log at all, but longer than the header of one is'))).toBe(-1);
    expect(rows(Buffer.concat([wal, Buffer.alloc(5000)]))).toBe(5);
  });
});
