import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import fc from 'fast-check';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { checkTrees } from './check-trees.ts';
import { openPageFile, type PageFile } from './page-file.ts';
import { DamagedTree, TooMuch, tableRows } from './table-rows.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'table-rows-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const limits = { rows: 1e6, bytes: 1e9 };

test('are those that SQLite reads, whatever the size of a page and of a row', () => {
  const shape = fc.record({
    pageBytes: fc.constantFrom(512, 1024, 4096, 65_536),
    autoVacuum: fc.constantFrom(0, 1, 2),
    lengths: fc.array(fc.oneof(fc.nat({ max: 100 }), fc.nat({ max: 20_000 })), { maxLength: 60 }),
  });
  let run = 0;
  fc.assert(
    fc.property(shape, ({ pageBytes, autoVacuum, lengths }) => {
      const path = join(folder, `${run++}.db`);
      const database = new DatabaseSync(path);
      database.exec(
        `PRAGMA page_size=${pageBytes}; PRAGMA auto_vacuum=${autoVacuum}; CREATE TABLE t(x); BEGIN`,
      );
      const insert = database.prepare('INSERT INTO t VALUES (?)');
      for (const [at, length] of lengths.entries()) insert.run(String(at % 10).repeat(length));
      database.exec('COMMIT');
      const root = Number(database.prepare('SELECT rootpage FROM sqlite_schema').get()?.rootpage);
      database.close();
      const file = openPageFile(path);
      if (file === undefined) throw new Error('no pages');
      // The header of a record with one text is 2 to 4 bytes long and says so first.
      const found = [...tableRows(file, root, limits)].map((record) =>
        record.subarray(record[0]).toString('latin1'),
      );
      file.close();
      expect(found).toEqual(lengths.map((length, at) => String(at % 10).repeat(length)));
    }),
    { numRuns: 60, seed: 1 },
  );
});

/** Pages of a table that each lead to others as told; a leaf has one empty row. */
function madeOf(
  pages: Readonly<Record<number, readonly number[]>>,
): PageFile & { reads(): number } {
  let reads = 0;
  return {
    usableBytes: 512,
    pages: 100,
    kindOf: (page) => ((pages[page]?.length ?? 0) > 0 ? 5 : 13),
    encoding: 'utf8',
    read(page) {
      reads++;
      const children = pages[page];
      if (children === undefined) return undefined;
      return children.length === 0 ? leaf() : interior(children);
    },
    close() {},
    reads: () => reads,
  };
}

function leaf(): Buffer {
  const bytes = Buffer.alloc(512);
  bytes[0] = 13;
  bytes.writeUInt16BE(1, 3);
  bytes.writeUInt16BE(500, 8);
  return bytes;
}

function interior(children: readonly number[]): Buffer {
  const bytes = Buffer.alloc(512);
  bytes[0] = 5;
  bytes.writeUInt16BE(children.length - 1, 3);
  for (const [at, child] of children.entries()) {
    const cell = 500 - at * 5;
    bytes.writeUInt32BE(child, at === children.length - 1 ? 8 : cell);
    if (at < children.length - 1) bytes.writeUInt16BE(cell, 12 + 2 * at);
  }
  return bytes;
}

test('of pages that lead to the same pages again and again are damage, found at once', () => {
  const pages: Record<number, readonly number[]> = { 22: [] };
  // Read as a tree, it has 60^20 leaves.
  for (let page = 2; page < 22; page++) pages[page] = Array.from({ length: 60 }, () => page + 1);
  const file = madeOf(pages);
  expect(() => [...tableRows(file, 2, limits)]).toThrow(DamagedTree);
  expect(file.reads()).toBeLessThan(50);
});

test('of any table that lead to the same pages again and again are found at once', () => {
  const pages: Record<number, readonly number[]> = { 1: [], 22: [] };
  for (let page = 2; page < 22; page++) pages[page] = Array.from({ length: 60 }, () => page + 1);
  const file = madeOf(pages);
  expect(() => checkTrees(file, [2])).toThrow(DamagedTree);
  expect(file.reads()).toBeLessThan(50);
  expect(() => checkTrees(madeOf({ 1: [], 2: [3], 3: [2] }), [2])).toThrow(DamagedTree);
  expect(() => checkTrees(madeOf({ 1: [], 2: [3], 4: [3] }), [2, 4])).toThrow(DamagedTree);
  // What is not there, SQLite finds by itself.
  checkTrees(madeOf({ 1: [], 2: [3, 99, 4_000_000_000, 0], 3: [] }), [2, 0, 101]);
});

test.each([
  ['that lead back', { 2: [3, 4], 3: [2], 4: [] }],
  ['that are not there', { 2: [3, 99], 3: [] }],
  [
    'in an endless row',
    Object.fromEntries(Array.from({ length: 99 }, (_, at) => [at + 2, [at + 3]])),
  ],
])('of pages %s are damage', (_words, pages) => {
  expect(() => [...tableRows(madeOf(pages), 2, limits)]).toThrow(DamagedTree);
});

test('are counted to the limit and no further', () => {
  const children = Array.from({ length: 50 }, (_, at) => at + 3);
  const pages = Object.fromEntries([[2, children], ...children.map((page) => [page, []])]);
  expect([...tableRows(madeOf(pages), 2, limits)]).toHaveLength(50);
  const file = madeOf(pages);
  expect(() => [...tableRows(file, 2, { rows: 10, bytes: 1e9 })]).toThrow(TooMuch);
  expect(file.reads()).toBeLessThan(13);
});
