import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { countRows } from './count-rows.ts';

let folder: string;
let files = 0;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'count-rows-'));
});
afterAll(() => rmSync(folder, { recursive: true }));

const tables = [
  { sqlName: 'dense', width: 2 },
  { sqlName: 'other', width: 2 },
];

function counted(sql: string, damage?: (file: Buffer) => void): number[] {
  const path = join(folder, `${files++}.db`);
  let database = new DatabaseSync(path);
  database.exec(`CREATE TABLE dense (a, b); CREATE TABLE other (a, b);
    WITH RECURSIVE n(i) AS (VALUES (1) UNION ALL SELECT i + 1 FROM n WHERE i < 1000)
    INSERT INTO dense SELECT i, i FROM n; ${sql}`);
  if (damage !== undefined) {
    database.close();
    const file = readFileSync(path);
    damage(file);
    writeFileSync(path, file);
    database = new DatabaseSync(path);
  }
  try {
    return countRows(database, tables);
  } finally {
    database.close();
  }
}

test('rows with numbers one after the other are as many as these; none are none', () => {
  expect(counted('')).toEqual([1000, 0]);
  expect(counted('INSERT INTO other (rowid) VALUES (-3), (-2), (-1)')).toEqual([1000, 3]);
});

test('a few gaps count as rows: there is never less room than rows', () => {
  expect(counted('DELETE FROM dense WHERE a IN (7, 8)')).toEqual([1000, 0]);
});

test('numbers that no file of this length has rows for are not believed', () => {
  for (const rowid of [2_000_000, '9223372036854775807', '-9223372036854775808'])
    expect(counted(`INSERT INTO other (rowid) VALUES (1), (${rowid})`)).toEqual([1000, 2]);
});

test('tables whose rows have no numbers that tell them apart are counted', () => {
  const hidden = 'DROP TABLE other; CREATE TABLE other (rowid, b);';
  expect(counted(`${hidden} INSERT INTO other VALUES (5.5, 1), (9, 1), (1, 1)`)).toEqual([1000, 3]);
});

test('rows of a damaged table, whose first has a higher number than its last, are counted', () => {
  const rows = `INSERT INTO other VALUES ('first-row', NULL), ('second', NULL), ('third', NULL)`;
  const damage = (file: Buffer) => {
    // Before a row's text: its length, its number, the length of its header, and what each of its columns is.
    const number = file.indexOf('first-row') - 4;
    expect(file[number]).toBe(1);
    file[number] = 100;
  };
  expect(counted(rows, damage)).toEqual([1000, 3]);
});
