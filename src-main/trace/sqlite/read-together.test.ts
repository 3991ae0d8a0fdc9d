import { mkdtempSync, rmSync, unlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { pathToFileURL } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { describeWith } from '../../../test/support/requirements.ts';
import { CHUNK_ROWS } from './chunk-task.ts';
import { openGuarded } from './guard-database.ts';
import { type NumberRows, numberOf } from './number-cells.ts';
import { ReadingThreads } from './read-together.ts';
import { createRowQuery } from './row-query.ts';

/** The last chunk is not full; every seventh rowid is missing. */
const ROWS = 5 * CHUNK_ROWS + 17;
const CHUNKS = Math.ceil((ROWS + Math.floor((ROWS - 1) / 7)) / CHUNK_ROWS);
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
let files = 0;

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
    // Whoever reads them may write into them: they are handed out once.
    for (const column of cells) column.fill(7);
  }
  return rows;
}

function readAlone(database: DatabaseSync): number[][] {
  const query = createRowQuery(database, `SELECT ${columns.join(', ')} FROM events ORDER BY rowid`);
  return query().map((row) => row.map(numberOf));
}

describeWith(['nativeCode'], 'by native code', () => readsAlike(true));
describe('in JavaScript', () => readsAlike(false));

function readsAlike(native: boolean): void {
  test('threads read what one thread reads, in its order', async () => {
    const database = openTable(`together-${native}.db`);
    const threads = new ReadingThreads(database, { threads: 2, leastRows: 1, native });
    const alone = readAlone(database);
    expect(alone).toHaveLength(ROWS);
    // The second table is read while the threads run already.
    for (let time = 1; time <= 3; time++) {
      expect(readAll(threads.read('events', columns, ROWS))).toEqual(alone);
      expect(threads.nativeChunks).toBe(native ? time * CHUNKS : 0);
    }
    await threads.end();
    database.close();
  });

  test('the importing thread reads the same without others', async () => {
    const database = openTable(`single-${native}.db`);
    const threads = new ReadingThreads(database, { threads: 0, leastRows: 1, native });
    const pages = threads.read('events', columns, ROWS);
    if (native) expect(readAll(pages)).toEqual(readAlone(database));
    else expect(pages).toBeUndefined();
    await threads.end();
    database.close();
  });
}

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

/** Tables whose rows can't be told by their numbers. */
const strangeRowids: Readonly<Record<string, string>> = {
  'a column of that name': 'CREATE TABLE events (rowid INTEGER, a)',
  'a column of that name, of fractions': 'CREATE TABLE events (rowID REAL, a)',
  'no numbers at all': 'CREATE TABLE events (a PRIMARY KEY) WITHOUT ROWID',
};

test.each(Object.entries(strangeRowids))('%s is read row after row', async (_what, schema) => {
  const path = join(folder, `strange-${files++}.db`);
  const made = new DatabaseSync(path);
  made.exec(`${schema}; INSERT INTO events ${schema.includes('WITHOUT') ? '' : '(rowid, a)'}
    VALUES ${schema.includes('WITHOUT') ? '(1), (2)' : '(5.5, 1), (5.5, 2)'}`);
  made.close();
  const database = openGuarded(pathToFileURL(path));
  const threads = new ReadingThreads(database, { threads: 1, leastRows: 1 });
  if (schema.includes('WITHOUT')) expect(() => threads.read('events', ['a'], 2)).toThrow('rowid');
  else expect(threads.read('events', ['a'], 2)).toBeUndefined();
  await threads.end();
  database.close();
});
