import { mkdtempSync, rmSync, unlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { pathToFileURL } from 'node:url';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { CHUNK_ROWS } from './chunk-task.ts';
import { openGuarded } from './guard-database.ts';
import { type NumberRows, numberOf } from './number-cells.ts';
import { ReadingThreads } from './read-together.ts';
import { createRowQuery } from './row-query.ts';

/** The last chunk is not full. */
const ROWS = 5 * CHUNK_ROWS + 17;
/** What a hostile column may hold; a text and a blob are no numbers, however they look. */
const STRANGE = [
  'NULL',
  "'12'",
  "x'00ff'",
  '-1',
  '9223372036854775807',
  '1.5',
  '9e999',
  '-9e999',
  '0.0',
];

let folder: string;

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'read-together-'));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** A table whose rowids begin far from 1 and have gaps. */
function openTable(name: string): DatabaseSync {
  const path = join(folder, name);
  const database = new DatabaseSync(path);
  const cells = STRANGE.map((cell, at) => `WHEN ${at} THEN ${cell}`).join(' ');
  database.exec(`CREATE TABLE events (id INTEGER PRIMARY KEY, plain, strange);
    WITH RECURSIVE n(i) AS (VALUES (0) UNION ALL SELECT i + 1 FROM n WHERE i < ${ROWS - 1})
    INSERT INTO events SELECT 1000 + i + i / 7, i * 3, CASE i % ${2 * STRANGE.length} ${cells} ELSE i END FROM n`);
  database.close();
  return openGuarded(pathToFileURL(path));
}

const columns = ['id', 'plain', 'strange'];

function readAll(pages: Generator<NumberRows> | undefined): number[][] {
  const rows: number[][] = [];
  for (const page of pages ?? []) {
    const cells = columns.map((_, column) => page.column(column));
    for (let row = 0; row < page.count; row++) rows.push(cells.map((column) => column[row]));
  }
  return rows;
}

function readAlone(database: DatabaseSync): number[][] {
  const query = createRowQuery(database, `SELECT ${columns.join(', ')} FROM events ORDER BY rowid`);
  return query().map((row) => row.map(numberOf));
}

test('threads read what one thread reads, in its order', async () => {
  const database = openTable('together.db');
  const threads = new ReadingThreads(database, { threads: 2, leastRows: 1 });
  const alone = readAlone(database);
  expect(alone).toHaveLength(ROWS);
  // The second table is read while the threads run already.
  for (let time = 0; time < 3; time++)
    expect(readAll(threads.read('events', columns, ROWS))).toEqual(alone);
  await threads.end();
  database.close();
});

test('without its threads the importing one reads everything', async () => {
  const database = openTable('gone.db');
  // They find no file any more.
  unlinkSync(join(folder, 'gone.db'));
  const threads = new ReadingThreads(database, { threads: 2, leastRows: 1 });
  expect(readAll(threads.read('events', columns, ROWS))).toEqual(readAlone(database));
  await threads.end();
  database.close();
});

test('a table that one thread reads as fast is left to it', async () => {
  const database = openTable('small.db');
  const threads = new ReadingThreads(database, { threads: 1 });
  expect(threads.read('events', columns, ROWS)).toBeUndefined();
  const others = new ReadingThreads(database, { threads: 1, leastRows: 1 });
  // Its rowids would be mostly gaps.
  expect(others.read('events', columns, ROWS / 3)).toBeUndefined();
  await Promise.all([threads, others].map((each) => each.end()));
  database.close();
});

test('an import that ends in the middle leaves no thread behind, whatever it is at', async () => {
  const database = openTable('ended.db');
  const threads = new ReadingThreads(database, { threads: 2, leastRows: 1 });
  const pages = threads.read('events', columns, ROWS);
  expect(pages?.next().value).toMatchObject({ count: expect.any(Number) });
  await threads.end();
  database.close();
});
