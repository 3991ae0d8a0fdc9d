import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { makeIngeroDatabase } from '../../../test/fixtures/ingero/make.ts';
import { checkTrace } from '../files/check-trace.ts';
import { copyTrace } from '../files/copy-trace.ts';
import { importers } from '../importers.ts';
import { openTrace } from '../open-trace.ts';
import { makeSchemaBomb, schemaBombs, startBomb } from '../testing/schema-bombs.ts';
import { limitSchema } from './limit-schema.ts';

let folder: string;
let path: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'limit-schema-'));
  path = join(folder, 'trace.db');
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const scratchDir = () => join(folder, 'scratch');
const open = () => openTrace(path, { scratchDir: scratchDir(), importers, progress() {} });
const copy = () =>
  copyTrace(path, join(folder, 'copy.db'), { scratchDir: scratchDir(), progress() {} });

/** What SQLite would take long to find out is said before it is asked. */
const refused = { ok: false, error: { code: expect.stringMatching(/^file-(unsafe|damaged)$/) } };
const saidEarly = /than any trace|where a trace has about 30/;

function expectRefusal(result: ReturnType<typeof checkTrace>): void {
  expect(result).toMatchObject(refused);
  expect(!result.ok && result.error.message).toMatch(saidEarly);
}

describe.each(Object.keys(schemaBombs))('%s', (bomb) => {
  test('are refused in a file by itself', () => {
    makeSchemaBomb(path, bomb);
    expectRefusal(open() as ReturnType<typeof checkTrace>);
    expectRefusal(checkTrace(path));
  });

  test('are refused in the log beside a file', () => {
    const writer = startBomb(path, bomb);
    writer.exec('PRAGMA journal_mode=WAL; PRAGMA wal_autocheckpoint=0');
    schemaBombs[bomb]?.(writer);
    expectRefusal(open() as ReturnType<typeof checkTrace>);
    expectRefusal(copy() as ReturnType<typeof checkTrace>);
    writer.close();
    expect(readdirSync(scratchDir())).toEqual([]);
  });
});

test('a rollback journal that brings the tables back is refused too', () => {
  makeSchemaBomb(path, '20,000 tables');
  const writer = new DatabaseSync(path, { defensive: false });
  // A tiny cache spills the unfinished transaction into the file.
  writer.exec('PRAGMA writable_schema=ON; PRAGMA cache_size=2; BEGIN IMMEDIATE');
  writer.exec("DELETE FROM sqlite_schema WHERE name <> 'events'");
  writer.exec(
    'WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 9000) INSERT INTO events SELECT hex(randomblob(90)) FROM n',
  );
  const killed = join(folder, 'killed');
  mkdirSync(killed);
  for (const suffix of ['', '-journal']) cpSync(path + suffix, join(killed, `trace.db${suffix}`));
  writer.exec('ROLLBACK');
  writer.close();
  path = join(killed, 'trace.db');
  expectRefusal(open() as ReturnType<typeof checkTrace>);
  expectRefusal(copy() as ReturnType<typeof checkTrace>);
});

test('a trace with ten times the tables that any has is opened', () => {
  makeIngeroDatabase(path, '0.17.0');
  const database = new DatabaseSync(path);
  database.exec('BEGIN');
  for (let at = 0; at < 300; at++)
    database.exec(`CREATE TABLE more_${at}(id INTEGER PRIMARY KEY, name TEXT, note TEXT UNIQUE)`);
  database.exec('COMMIT; ANALYZE');
  database.close();
  expect(open()).toMatchObject({ ok: true });
  expect(checkTrace(path)).toEqual({ ok: true, value: null });
});

test('a table whose pages lead to one page again and again is refused', () => {
  makeIngeroDatabase(path, '0.17.0');
  leadToOnePage(path, 'events');
  expect(open()).toMatchObject({ error: { code: 'file-damaged' } });
});

/** Puts 20 pages before the root of a table that each lead 60 times to the next one. */
function leadToOnePage(file: string, table: string): void {
  const database = new DatabaseSync(file);
  const of = (sql: string) => Number(Object.values(database.prepare(sql).get() ?? {})[0]);
  const root = of(`SELECT rootpage FROM sqlite_schema WHERE name = '${table}'`);
  const pageBytes = of('PRAGMA page_size');
  database.close();
  const bytes = readFileSync(file);
  const pages = bytes.length / pageBytes;
  const added = Array.from({ length: 20 }, (_, at) => leading(pageBytes, pages + at + 1));
  const last = Buffer.from(bytes.subarray((root - 1) * pageBytes, root * pageBytes));
  added[0]?.copy(bytes, (root - 1) * pageBytes);
  bytes.writeUInt32BE(pages + 20, 28);
  writeFileSync(file, Buffer.concat([bytes, ...added.slice(1), last]));
}

/** A page of a table, https://www.sqlite.org/fileformat.html §1.6, that leads to `child` only. */
function leading(pageBytes: number, child: number): Buffer {
  const page = Buffer.alloc(pageBytes);
  page[0] = 5;
  page.writeUInt16BE(59, 3);
  page.writeUInt16BE(pageBytes - 59 * 5, 5);
  page.writeUInt32BE(child, 8);
  for (let cell = 0; cell < 59; cell++) {
    const at = pageBytes - (cell + 1) * 5;
    page.writeUInt32BE(child, at);
    page[at + 4] = 1;
    page.writeUInt16BE(at, 12 + 2 * cell);
  }
  return page;
}

test('any bytes where the tables are listed end in a trace or a sentence', () => {
  makeIngeroDatabase(path, '0.17.0');
  const original = readFileSync(path);
  const change = fc.tuple(fc.nat({ max: 3 * 4096 }), fc.integer({ min: 0, max: 255 }));
  fc.assert(
    fc.property(fc.array(change, { minLength: 1, maxLength: 30 }), (changes) => {
      const bytes = Buffer.from(original);
      for (const [at, value] of changes) bytes[at] = value;
      writeFileSync(path, bytes);
      const limited = limitSchema({ name: 'trace.db' }, path);
      expect(limited.ok || limited.error.message.length > 20).toBe(true);
    }),
    { numRuns: 300, seed: 1 },
  );
});
