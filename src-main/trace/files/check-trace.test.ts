import { mkdtempSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { checkTrace } from './check-trace.ts';

let folder: string;
let path: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'stalltrace-check-'));
  path = join(folder, 'trace.db');
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const PAGE_BYTES = 4096;

function make(sql: string): void {
  const database = new DatabaseSync(path);
  database.exec(`PRAGMA page_size=${PAGE_BYTES}; ${sql}`);
  database.close();
}

const ROWS = `
  CREATE TABLE a(x INTEGER NOT NULL, y TEXT);
  WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 5000)
  INSERT INTO a SELECT i, hex(i) || 'some more text than that' FROM n`;

const codeOf = () => {
  const checked = checkTrace(path);
  return checked.ok ? 'ok' : checked.error.code;
};

test('a sound file is sound', () => {
  make(ROWS);
  expect(codeOf()).toBe('ok');
});

test('one page of rubbish is found, wherever it is', () => {
  make(ROWS);
  const bytes = readFileSync(path);
  const pages = bytes.length / PAGE_BYTES;
  expect(pages).toBeGreaterThan(30);
  for (const page of [1, Math.floor(pages / 2), pages - 1]) {
    const damaged = Buffer.from(bytes);
    damaged.fill(0x41, page * PAGE_BYTES, (page + 1) * PAGE_BYTES);
    writeFileSync(path, damaged);
    expect(codeOf(), `page ${page}`).toBe('file-damaged');
  }
});

test('a file that was cut off is not whole', () => {
  make(ROWS);
  truncateSync(path, 20 * PAGE_BYTES);
  expect(codeOf()).toBe('file-truncated');
});

test('what its author wrote into the schema is not run', () => {
  const broken = 'PRAGMA ignore_check_constraints=ON; INSERT INTO a VALUES (0)';
  make(`CREATE TABLE a(x CHECK (x > 0)); ${broken}`);
  // Had the CHECK been run, the row would break it.
  expect(codeOf()).toBe('ok');
  make('CREATE VIRTUAL TABLE t USING fts5(a)');
  expect(codeOf()).toBe('file-unsafe');
});

test('a log beside it is part of the file, so that it is not whole', () => {
  make(ROWS);
  writeFileSync(`${path}-wal`, 'x');
  expect(codeOf()).toBe('file-busy');
});
