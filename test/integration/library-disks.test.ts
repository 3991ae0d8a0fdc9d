import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, utimesSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { migrations } from '../../src-main/library/store/migrations.ts';
import type { NoteDraft } from '../../src-main/shared/library/note.ts';
import { answerOf } from '../support/fork-library.ts';
import {
  endLibraryProcesses,
  type LibraryProcess,
  startLibraryProcess,
} from '../support/library-process.ts';
import { fillDisk, mountReadOnly, mountSmallDisk, unmountAll } from '../support/mount.ts';
import { describeWith } from '../support/requirements.ts';

/** The catalogue on real disks that can't be written or are full. */

let base: string;
let folder: string;
const library = () => join(folder, 'library.db');

beforeEach(() => {
  base = mkdtempSync(join(tmpdir(), 'library-'));
  folder = join(base, 'data');
  mkdirSync(folder);
});
afterEach(async () => {
  await endLibraryProcesses();
  unmountAll();
  rmSync(base, { recursive: true, force: true });
});

function note(text: string): NoteDraft {
  return { id: crypto.randomUUID(), kind: 'note', text, startNs: 0, endNs: 0 };
}

/** A library with one entry and one note, whose process has ended. */
async function filledLibrary(end: 'kill' | 'disconnect' = 'disconnect'): Promise<number> {
  const process = startLibraryProcess(folder);
  const { id } = await process.add('trace', { processes: ['python3'] });
  answerOf(await process.call('putNote', { id, note: note('words of mine') }));
  answerOf(await process.call('changeSettings', { changes: { theme: 'dark' } }));
  await process[end]();
  return id;
}

/** Everything that reads is answered, everything that writes refused with `sentence`. */
async function expectReadable(
  process: LibraryProcess,
  id: number,
  sentence: RegExp,
): Promise<void> {
  expect(await process.names()).toEqual(['trace']);
  expect(await process.names('words pyth')).toEqual(['trace']);
  expect(answerOf(await process.call('notes', { id }))).toMatchObject([{ text: 'words of mine' }]);
  expect(answerOf(await process.call('settings', {})).theme).toBe('dark');
  await expectRefused(process, id, sentence);
}

async function expectRefused(process: LibraryProcess, id: number, sentence: RegExp): Promise<void> {
  const refused = {
    error: { code: 'library-unavailable', message: expect.stringMatching(sentence) },
  };
  expect(await process.call('change', { id, name: 'x' })).toMatchObject(refused);
  expect(await process.call('putNote', { id, note: note('x'.repeat(90_000)) })).toMatchObject(
    refused,
  );
  expect(await process.call('remove', { id, trashFile: false })).toMatchObject(refused);
  expect(await process.call('changeSettings', { changes: { theme: 'light' } })).toMatchObject(
    refused,
  );
}

const READ_ONLY = /^The library \S+ can't be written: check the folder's permissions, or set/;
const FULL = /^The disk that holds the library \S+ is full: free some space and try again\.$/;

describeWith(['mount'], 'a library that can only be read', () => {
  test.each(['disconnect', 'kill'] as const)(
    'is listed and takes nothing, and is used again without a restart (after a %s)',
    async (end) => {
      const id = await filledLibrary(end);
      expect(existsSync(`${library()}-wal`)).toBe(end === 'kill');
      rmSync(`${library()}-shm`, { force: true });
      const makeWritable = mountReadOnly(folder);
      const process = startLibraryProcess(folder);
      await expectReadable(process, id, READ_ONLY);
      makeWritable();
      await process.add('new');
      expect(await process.names()).toEqual(['new', 'trace']);
    },
  );

  test('because its file alone is read-only', async () => {
    const id = await filledLibrary();
    const makeWritable = mountReadOnly(library());
    const process = startLibraryProcess(folder);
    await expectReadable(process, id, READ_ONLY);
    makeWritable();
    await process.add('new');
  });

  test('of an older version is listed all the same', async () => {
    const old = new DatabaseSync(library());
    migrations[0]?.(old as never);
    old.exec(`PRAGMA user_version = 1; INSERT INTO investigation
      (path, name, format, size_bytes, added_at, sample, synthetic)
      VALUES ('/a', 'old', 'Ingero', 1, '2026', 0, 0)`);
    old.close();
    mountReadOnly(folder);
    const process = startLibraryProcess(folder);
    expect(await process.names('ol')).toEqual(['old']);
    await expect(process.add('new')).rejects.toThrow("can't be written");
  });

  test('is refused where there is none yet', async () => {
    mountReadOnly(folder);
    const process = startLibraryProcess(folder);
    await expect(process.names()).rejects.toThrow("can't be written");
    await expect(startLibraryProcess(join(folder, 'below')).names()).rejects.toThrow(
      "can't be written",
    );
  });

  test('takes no backup', async () => {
    await filledLibrary();
    const target = join(base, 'backup');
    mkdirSync(target);
    mountReadOnly(target);
    expect(await startLibraryProcess(folder).call('backUp', { folder: target })).toMatchObject({
      error: { code: 'folder-unusable', message: expect.stringContaining('check its permissions') },
    });
  });
});

describeWith(['mount'], 'a library on a full disk', () => {
  test('keeps what it has, refuses more, and goes on when there is space', async () => {
    mountSmallDisk(folder, 2_048);
    const id = await filledLibrary('kill');
    const running = startLibraryProcess(folder);
    expect(await running.names()).toEqual(['trace']);
    const free = fillDisk(folder);
    await expectFull(running, id);
    await running.kill();
    const started = startLibraryProcess(folder);
    await expectFull(started, id);
    free();
    answerOf(await started.call('putNote', { id, note: note('x'.repeat(90_000)) }));
    await started.disconnect();
    const database = new DatabaseSync(library());
    expect(database.prepare('PRAGMA integrity_check').all()).toEqual([{ integrity_check: 'ok' }]);
    database.close();
  });

  test('is not started there', async () => {
    mountSmallDisk(folder, 64);
    const free = fillDisk(folder);
    const process = startLibraryProcess(folder);
    await expect(process.names()).rejects.toThrow('is full: free some space');
    free();
    fillDisk(folder)();
    await expect(process.add('x')).rejects.toThrow('is full: free some space');
  });

  test('of an older version is listed, and brought up to date when there is space', async () => {
    mountSmallDisk(folder, 512);
    const old = new DatabaseSync(library());
    migrations[0]?.(old as never);
    old.exec(`PRAGMA user_version = 1; INSERT INTO investigation
      (path, name, format, size_bytes, added_at, sample, synthetic)
      VALUES ('/a', 'old', 'Ingero', 1, '2026', 0, 0)`);
    old.close();
    const free = fillDisk(folder);
    const process = startLibraryProcess(folder);
    expect(await process.names('ol')).toEqual(['old']);
    free();
    await process.add('new');
    expect(await process.names()).toHaveLength(2);
  });

  test('goes on without a new backup, and says so', async () => {
    mountSmallDisk(folder, 4_096);
    const process = startLibraryProcess(folder);
    const { id } = await process.add('trace');
    for (let count = 0; count < 8; count++) {
      answerOf(await process.call('putNote', { id, note: note(`${count}`.repeat(40_000)) }));
    }
    answerOf(await process.call('end', {}));
    await process.disconnect();
    const backups = () => readdirSync(join(folder, 'backups'));
    const again = startLibraryProcess(folder);
    await again.add('more');
    await again.kill();
    // It may have begun a backup, or even have made one: neither is to leave room on the disk, or to be the last word.
    for (const name of backups().filter((each) => each.startsWith('.')))
      rmSync(join(folder, 'backups', name));
    const before = backups();
    const later = new Date(Date.now() + 60_000);
    utimesSync(library(), later, later);
    const free = fillDisk(folder);
    const started = startLibraryProcess(folder);
    expect(await started.names()).toEqual(['more', 'trace']);
    await expect
      .poll(async () => answerOf(await started.call('health', {})))
      .toMatchObject({
        state: 'ok',
        backupProblem: expect.stringMatching(/full: free some space/),
      });
    expect(backups()).toEqual(before);
    free();
  });

  test('leaves no half backup', async () => {
    const process = startLibraryProcess(folder);
    const { id } = await process.add('trace');
    for (let count = 0; count < 20; count++) {
      answerOf(await process.call('putNote', { id, note: note(`${count}`.repeat(40_000)) }));
    }
    const target = join(base, 'small');
    mkdirSync(target);
    mountSmallDisk(target, 256);
    expect(await process.call('backUp', { folder: target })).toMatchObject({
      error: { code: 'disk-full', message: expect.stringContaining('choose another folder') },
    });
    expect(readdirSync(target)).toEqual([]);
    expect(answerOf(await process.call('notes', { id }))).toHaveLength(20);
  });
});

/** Small writes may still fit into the log: what is refused is one that does not. */
async function expectFull(process: LibraryProcess, id: number): Promise<void> {
  expect(await process.names('words')).toEqual(['trace']);
  expect(await process.call('putNote', { id, note: note('x'.repeat(90_000)) })).toMatchObject({
    error: { code: 'library-unavailable', message: expect.stringMatching(FULL) },
  });
  expect(answerOf(await process.call('notes', { id }))).toMatchObject([{ text: 'words of mine' }]);
}
