import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { describe, expect, test } from 'vitest';
import { migrations } from './store/migrations.ts';
import { noContext, testEntry, testFolder, testLibrary } from './testing/test-library.ts';

function setVersion(path: string, version: number): undefined {
  const database = new Database(path);
  database.pragma(`user_version = ${version}`);
  database.close();
}

function writeForeign(path: string, version: number): undefined {
  const database = new Database(path);
  database.exec(`CREATE TABLE book (title TEXT); PRAGMA user_version = ${version}`);
  database.close();
}

function blockFolder(folder: string): string {
  writeFileSync(join(folder, 'file'), '');
  return join(folder, 'file', 'data');
}

describe('a library that cannot be opened', () => {
  test.each([
    [
      'of a newer version',
      (path: string) => setVersion(path, 99),
      /newer Stalltrace.*version 99.*update Stalltrace/,
    ],
    [
      'that is no database',
      (path: string) => writeFileSync(path, 'x'.repeat(5000)),
      /damaged: move it away/,
    ],
    [
      'of another program',
      (path: string) => writeForeign(path, 0),
      /database of another program: set/,
    ],
    [
      'of another program with a version',
      (path: string) => writeForeign(path, 1),
      /database of another program: set/,
    ],
    [
      'in a folder that is a file',
      (path: string) => blockFolder(join(path, '..')),
      /can't be written: check/,
    ],
    ['that is a folder', (path: string) => mkdirSync(path), /can't be written: check/],
  ])('%s is answered with a sentence, at every call', async (_name, spoil, sentence) => {
    const folder = testFolder();
    const { calls } = testLibrary(spoil(join(folder, 'library.db')) ?? folder);
    const refused = {
      error: { code: 'library-unavailable', message: expect.stringMatching(sentence) },
    };
    expect(await calls.list({}, noContext)).toMatchObject(refused);
    expect(await calls.put({ entry: testEntry() }, noContext)).toMatchObject(refused);
    expect(await calls.settings({}, noContext)).toMatchObject(refused);
  });

  test('of a newer version is left as it is', async () => {
    const folder = testFolder();
    const path = join(folder, 'library.db');
    setVersion(path, 99);
    const before = readFileSync(path);
    const { calls, close } = testLibrary(folder);
    await calls.list({}, noContext);
    close();
    expect(readFileSync(path).equals(before)).toBe(true);
    expect(existsSync(`${path}-wal`)).toBe(false);
  });

  test('is used as soon as it was mended', async () => {
    const folder = testFolder();
    const path = join(folder, 'library.db');
    writeFileSync(path, 'x'.repeat(5000));
    const { search, add } = testLibrary(folder);
    await expect(search()).rejects.toThrow('library-unavailable');
    renameSync(path, `${path}.damaged`);
    expect(await search()).toEqual([]);
    await add('new');
    expect(await search()).toEqual(['new']);
  });

  test('because its pages are damaged is said to be, and a new one takes its place', async () => {
    const folder = testFolder();
    const first = testLibrary(folder);
    for (let index = 0; index < 50; index++) await first.add(`trace ${index}`);
    first.close();
    const path = join(folder, 'library.db');
    const bytes = readFileSync(path);
    bytes.fill(0xa5, 4096);
    writeFileSync(path, bytes);
    const again = testLibrary(folder);
    const sentence = /damaged, so nothing is written to it: restore the backup of .+ \(\d+ entr/;
    await expect(again.search()).rejects.toThrow(sentence);
    await expect(again.add('x')).rejects.toThrow(sentence);
    expect(readFileSync(path).equals(bytes)).toBe(true);
    for (const suffix of ['', '-wal', '-shm']) rmSync(path + suffix, { force: true });
    expect(await again.search()).toEqual([]);
  });

  test('because another program holds it is read from a copy', async () => {
    const folder = testFolder();
    const first = testLibrary(folder);
    await first.add('trace');
    first.close();
    const holder = new Database(join(folder, 'library.db'));
    holder.pragma('locking_mode = EXCLUSIVE');
    holder.exec(`BEGIN IMMEDIATE; PRAGMA user_version = ${migrations.length}; COMMIT`);
    const { search, add } = testLibrary(folder);
    expect(await search()).toEqual(['trace']);
    const start = performance.now();
    // A wait for the other program would take five seconds.
    await expect(add('x')).rejects.toThrow(/held by another program: close it/);
    expect(await search('tra')).toEqual(['trace']);
    expect(performance.now() - start).toBeLessThan(5_000);
    holder.close();
    await add('y');
    expect(await search()).toEqual(['y', 'trace']);
  });
});

describe('a backup', () => {
  test('is a whole library, and never takes the place of one', async () => {
    const { calls, add, note, folder } = testLibrary();
    const { id } = await add('trace');
    await note(id, 'words');
    const target = join(folder, 'new', 'place');
    expect(await calls.backUp({ folder: target }, noContext)).toEqual({ ok: true, value: null });
    const copy = testLibrary(target);
    expect(await copy.search('words')).toEqual(['trace']);
    const unusable = { error: { code: 'folder-unusable' } };
    expect(await calls.backUp({ folder: target }, noContext)).toMatchObject(unusable);
    expect(await calls.backUp({ folder: blockFolder(folder) }, noContext)).toMatchObject(unusable);
  });
});
