import {
  copyFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { processIdentityOf } from '../system/process-identity.ts';
import { finishRestore } from './backups/begun-restore.ts';
import { restoreFile } from './backups/restore.ts';
import { findDamage } from './store/find-damage.ts';
import {
  backupsIn,
  catalogueOf,
  deadProcess,
  everything,
  pagesOf,
  spoil,
  zeroPages,
} from './testing/damage.ts';
import {
  noContext,
  type TestLibrary,
  testFolder,
  testLibrary,
  testNote,
  value,
} from './testing/test-library.ts';

const LONG = 'words of mine '.repeat(800);

let template: { readonly folder: string; readonly before: unknown };
beforeAll(async () => {
  template = await fillFolder(mkdtempSync(join(tmpdir(), 'library-')));
});
afterAll(() => rmSync(template.folder, { recursive: true, force: true }));

/** A copy of a library with ten entries and 31 notes, one of them long; closed with a backup. */
async function filledFolder(): Promise<{ folder: string; before: unknown }> {
  const folder = testFolder();
  cpSync(template.folder, folder, { recursive: true, preserveTimestamps: true });
  return { folder, before: template.before };
}

async function fillFolder(folder: string): Promise<typeof template> {
  const library = testLibrary(folder);
  for (let index = 0; index < 10; index++) {
    const { id } = await library.add(`trace ${index}`, { processes: [`python${index}`] });
    for (let count = 0; count < 3; count++) await library.note(id, `${LONG.slice(0, 90 * count)}.`);
    if (index === 4) await library.note(id, LONG);
  }
  const before = await everything(library);
  await library.end();
  return { folder, before };
}

const healthOf = async ({ calls }: TestLibrary) => value(await calls.health({}, noContext));

/** The newest backup as a restore of `owner` that is to take its place. */
function begin(folder: string, owner: string): string {
  const newest = backupsIn(folder).at(-1) ?? '';
  const begun = `${catalogueOf(folder)}.restoring-${owner}`;
  copyFileSync(join(folder, 'backups', newest), begun);
  return begun;
}

describe('a damaged catalogue', () => {
  test('of any page is noticed at opening, or nothing of it is lost; it is never written', async () => {
    const { folder, before } = await filledFolder();
    const { bytes, pages } = pagesOf(folder);
    const held = { damaged: 0, whole: 0 };
    for (let page = 1; page <= pages; page++) {
      const spoilt = zeroPages(folder, page, (page % pages) + 1);
      const library = testLibrary(folder);
      const { state } = await healthOf(library);
      if (state === 'ok') {
        expect(await everything(library), `pages ${page}, ${page + 1}`).toEqual(before);
        held.whole++;
      } else {
        expect(['damaged', 'unavailable']).toContain(state);
        expect((await library.calls.change({ id: 1, name: 'x' }, noContext)).ok).toBe(false);
        held.damaged++;
        await library.end();
        expect(readFileSync(catalogueOf(folder)).equals(spoilt), `page ${page}`).toBe(true);
      }
      library.close();
      writeFileSync(catalogueOf(folder), bytes);
      for (const suffix of ['-wal', '-shm']) rmSync(catalogueOf(folder) + suffix, { force: true });
    }
    expect(held.damaged).toBeGreaterThan(pages / 2);
  });

  test.each([
    ['a note of no entry', 'UPDATE note SET investigation = 999 WHERE row = 1'],
    ['an entry the index lost', 'DELETE FROM entry_words_docsize WHERE id = 3'],
    ['a note the index lost', 'DELETE FROM note_words_docsize WHERE id = 3'],
    ['an index that is not whole', 'DELETE FROM note_words_data WHERE id > 10'],
    [
      'a note whose end is zeros',
      "UPDATE note SET updated_at = '2026-11' || char(0) WHERE row = 2",
    ],
    [
      'names of processes that are cut',
      "UPDATE investigation SET processes = '[\"py' WHERE id = 2",
    ],
  ])('with %s says so, and when its backup was made', async (_name, sql) => {
    const { folder } = await filledFolder();
    spoil(folder, sql);
    const library = testLibrary(folder);
    const { state, message, backups } = await healthOf(library);
    expect(state).toBe('damaged');
    expect(message).toMatch(
      /nothing is written to it: restore the backup of 20\d\d-.+ \(10 entries, 31 notes\)/,
    );
    expect(backups.length).toBeGreaterThan(0);
    const refused = await library.calls.putNote(
      { id: 1, note: { id: crypto.randomUUID(), kind: 'note', text: 'x', startNs: 0, endNs: 0 } },
      noContext,
    );
    expect(refused).toMatchObject({ error: { code: 'library-unavailable', message } });
    // What can be read is shown meanwhile.
    expect(value(await library.calls.list({}, noContext))).toHaveLength(10);
  });

  test('of which only where a capture came from is cut lists all, that entry without it', async () => {
    const { folder } = await filledFolder();
    spoil(folder, `UPDATE investigation SET origin = '{"host": "gp' WHERE id = 2`);
    const entries = value(await testLibrary(folder).calls.list({}, noContext));
    expect(entries).toHaveLength(10);
    expect(entries.find(({ id }) => id === 2)?.origin).toBeUndefined();
  });

  test('whose long note lost its last page is damaged', async () => {
    const { folder } = await filledFolder();
    const { bytes, pageSize, pages } = pagesOf(folder);
    // An overflow page begins with the number of the next one: 0 = there is none.
    const last = Array.from({ length: pages }, (_, index) => index + 1).filter((page) => {
      const content = bytes.subarray((page - 1) * pageSize, page * pageSize);
      return content.readUInt32BE(0) === 0 && content.includes('words of mine');
    });
    expect(last).toHaveLength(1);
    zeroPages(folder, ...last);
    expect(await healthOf(testLibrary(folder))).toMatchObject({
      state: 'damaged',
      detail: expect.stringMatching(/^note \d+ is cut off$/),
    });
  });

  test('of which a page of the statements is zeros is noticed, however large it is', async () => {
    const { folder } = await filledFolder();
    const library = testLibrary(folder);
    for (let at = 0; at < 20; at++) {
      const query = { name: `mine ${at}`, text: `SELECT ${at} ${'-- of mine '.repeat(40)}` };
      value(await library.calls.putQuery(query, noContext));
    }
    await library.end();
    const [newest] = (await healthOf(testLibrary(folder))).backups;
    expect(newest).toMatchObject({ entries: 10, notes: 31, statements: 20 });
    const { bytes, pageSize, pages } = pagesOf(folder);
    const page = Array.from({ length: pages }, (_, index) => index + 1).find((each) =>
      bytes.subarray((each - 1) * pageSize, each * pageSize).includes('of mine -- of mine'),
    );
    zeroPages(folder, page ?? 0);
    const database = new Database(catalogueOf(folder), { readonly: true });
    expect(findDamage(database, 0)).toBeDefined();
    database.close();
  });

  test('is none where a text really ends in zeros, also one of an older version', async () => {
    const { folder } = await filledFolder();
    spoil(folder, "UPDATE note SET text = 'older' || char(0, 0) WHERE row = 2");
    const library = testLibrary(folder);
    await library.note(1, 'own\0');
    const time = new Date().toISOString();
    const sent = { ...testNote({ text: 'from an archive\0' }), createdAt: time, updatedAt: time };
    value(await library.calls.addNotes({ id: 1, notes: [sent] }, noContext));
    await library.end();
    const again = testLibrary(folder);
    expect(await healthOf(again)).toMatchObject({ state: 'ok' });
    const texts = value(await again.calls.notes({ id: 1 }, noContext)).map(({ text }) => text);
    expect(texts).toEqual(expect.arrayContaining(['own\0', 'from an archive\0']));
  });

  test('that is found while it is open is not written to, and its log stays', async () => {
    const { folder } = await filledFolder();
    const library = testLibrary(folder);
    await library.note(1, 'only in the log');
    const spoilt = zeroPages(folder, 2, 3, 4, 5, 6, 7, 8);
    const log = readFileSync(`${catalogueOf(folder)}-wal`);
    // Pages that were read already are in memory: another connection sees the file as it is.
    const other = testLibrary(folder);
    expect((await healthOf(other)).state).toBe('damaged');
    await library.end();
    other.close();
    expect(readFileSync(catalogueOf(folder)).equals(spoilt)).toBe(true);
    expect(readFileSync(`${catalogueOf(folder)}-wal`).equals(log)).toBe(true);
  });

  test('makes no backup and is not made over a good one', async () => {
    const { folder } = await filledFolder();
    const before = backupsIn(folder);
    zeroPages(folder, 3, 4);
    const library = testLibrary(folder);
    expect((await healthOf(library)).state).toBe('damaged');
    await library.end();
    expect(backupsIn(folder)).toEqual(before);
  });
});

describe('a backup that is restored', () => {
  test('brings everything back, and keeps what was there with its log', async () => {
    const { folder, before } = await filledFolder();
    const spoilt = zeroPages(folder, 3, 4);
    writeFileSync(`${catalogueOf(folder)}-wal`, 'a log of the old one');
    const library = testLibrary(folder);
    const { backups } = await healthOf(library);
    const restored = value(
      await library.calls.restoreBackup({ name: backups[0]?.name ?? '' }, noContext),
    );
    expect(await everything(library)).toEqual(before);
    await library.note(1, 'and goes on');
    expect((await healthOf(library)).state).toBe('ok');
    const { keptAs = '' } = restored;
    expect(readFileSync(keptAs).equals(spoilt)).toBe(true);
    expect(readFileSync(`${keptAs}-wal`, 'utf8')).toBe('a log of the old one');
  });

  test.each([
    ['killed in between', undefined],
    ['on another machine, or ended with it', '0'.repeat(16)],
  ])('is finished by the next opening where its process was %s', async (_how, place) => {
    const { folder, before } = await filledFolder();
    const spoilt = zeroPages(folder, 3, 4);
    const begun = begin(folder, deadProcess(place));
    writeFileSync(`${catalogueOf(folder)}-wal`, 'a log of the old one');
    utimesSync(`${catalogueOf(folder)}-wal`, 0, 0);
    const library = testLibrary(folder);
    expect(await everything(library)).toEqual(before);
    expect(existsSync(begun)).toBe(false);
    const [kept = '', log = ''] = backupsIn(folder).filter((name) => /^replaced/.test(name));
    expect(readFileSync(join(folder, 'backups', kept)).equals(spoilt)).toBe(true);
    expect(readFileSync(join(folder, 'backups', log), 'utf8')).toBe('a log of the old one');
  });

  test('is left to its process while that runs', async () => {
    const { folder } = await filledFolder();
    const { place, pid, startTime } = processIdentityOf(process.ppid);
    const begun = begin(folder, `${place}-${pid}-${startTime}`);
    const before = readFileSync(catalogueOf(folder));
    finishRestore(catalogueOf(folder), folder, 50);
    expect(existsSync(begun)).toBe(true);
    expect(readFileSync(catalogueOf(folder)).equals(before)).toBe(true);
  });

  test('is not finished where more was written since', async () => {
    const said = vi.spyOn(console, 'error').mockReturnValue();
    const { folder } = await filledFolder();
    const begun = begin(folder, deadProcess());
    utimesSync(begun, 1, 1);
    const library = testLibrary(folder);
    await library.note(1, 'newer work');
    expect(existsSync(begun)).toBe(false);
    expect(said.mock.lastCall).toEqual([expect.stringContaining('restore the backup again')]);
    said.mockRestore();
    await library.end();
    expect(backupsIn(folder).filter((name) => /^replaced/.test(name))).toEqual([]);
  });

  test('and can not take its place changes nothing, then or later', async () => {
    const { folder } = await filledFolder();
    const path = catalogueOf(folder);
    const before = readdirSync(folder);
    const backups = backupsIn(folder);
    writeFileSync(`${path}-wal`, 'its log');
    // Stands for a file that Windows does not remove, as it is open.
    mkdirSync(`${path}-journal`);
    const name = (backups.at(-1) ?? '').slice('library-'.length, -'.db'.length);
    expect(restoreFile(path, folder, name)).toMatchObject({ ok: false });
    expect(readFileSync(`${path}-wal`, 'utf8')).toBe('its log');
    expect(readdirSync(folder)).toEqual([...before, 'library.db-wal', 'library.db-journal'].sort());
    expect(backupsIn(folder)).toEqual(backups);
  });

  test('may not be damaged itself, nor be one that is not there', async () => {
    const { folder } = await filledFolder();
    const backup = backupsIn(folder).at(-1) ?? '';
    const whole = statSync(join(folder, 'backups', backup));
    const library = testLibrary(folder);
    const name = backup.slice('library-'.length, -'.db'.length);
    const path = join(folder, 'backups', backup);
    const bytes = readFileSync(path);
    bytes.fill(0, 2 * 4096, 4 * 4096);
    writeFileSync(path, bytes);
    expect(whole.size).toBe(bytes.length);
    expect(await library.calls.restoreBackup({ name }, noContext)).toMatchObject({
      error: { message: expect.stringContaining('restore an older one') },
    });
    expect(
      await library.calls.restoreBackup({ name: '2020-01-01T00-00-00Z' }, noContext),
    ).toMatchObject({ error: { code: 'not-found' } });
    expect(await everything(library)).toHaveLength(10);
  });
});
