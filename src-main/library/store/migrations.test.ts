import { join } from 'node:path';
import Database from 'better-sqlite3';
import { describe, expect, test } from 'vitest';
import type { CaptureOrigin } from '../../shared/remote/capture-origin.ts';
import { defaultCapture } from '../../shared/remote/capture-request.ts';
import { openDatabase } from '../open-database.ts';
import { noContext, testEntry, testFolder, testLibrary, value } from '../testing/test-library.ts';
import { migrations } from './migrations.ts';

/** A catalogue of `version`, as the Stalltrace of that time left it. */
function olderCatalogue(folder: string, version: number): Database.Database {
  const database = new Database(join(folder, 'library.db'));
  database.pragma('journal_mode = WAL');
  for (const step of migrations.slice(0, version)) step(database);
  database.pragma(`user_version = ${version}`);
  return database;
}

describe('migrations', () => {
  test('lead from nothing to the newest version', () => {
    const database = new Database(':memory:');
    for (const step of migrations) step(database);
    expect(database.prepare('SELECT count(*) FROM investigation').pluck().get()).toBe(0);
  });

  test('1 → 2 keeps all entries, finds them by their names, and gives no id twice', async () => {
    const folder = testFolder();
    const old = olderCatalogue(folder, 1);
    const insert = old.prepare(`
      INSERT INTO investigation (id, path, name, format, size_bytes, added_at, opened_at,
        recorded_at, length_ns, machine, gpu, sample, synthetic)
      VALUES (?, ?, ?, 'Ingero', 5, ?, ?, ?, 77, 'host', 'RTX 4090', ?, 1)`);
    const at = (day: number) => `2026-01-0${day}T00:00:00.000Z`;
    insert.run(3, '/gone/Nachtläufe.db', 'Nachtläufe.db', at(1), at(4), at(1), 0);
    insert.run(5, '/gone/sample.db', 'The sample', at(2), null, null, 1);
    insert.run(9, '/gone/removed.db', 'removed', at(3), null, null, 0);
    old.prepare('DELETE FROM investigation WHERE id = 9').run();
    old.close();
    const { calls, search, add } = testLibrary(folder);
    expect(value(await calls.list({}, noContext))).toEqual([
      {
        id: 3,
        name: 'Nachtläufe.db',
        path: '/gone/Nachtläufe.db',
        format: 'Ingero',
        sizeBytes: 5,
        addedAt: at(1),
        openedAt: at(4),
        recordedAt: at(1),
        lengthNs: 77,
        machine: 'host',
        gpu: 'RTX 4090',
        sample: false,
        synthetic: true,
        storage: 'referenced',
        state: 'missing',
        tags: [],
        notes: 0,
      },
      expect.objectContaining({ id: 5, name: 'The sample', sample: true }),
    ]);
    expect(await search('nachtlauf')).toEqual(['Nachtläufe.db']);
    expect((await add('new')).id).toBe(10);
    expect(await search('sample')).toEqual(['The sample']);
  });

  test('2 → 3 keeps all entries and finds them by machine, GPU and format', async () => {
    const folder = testFolder();
    const old = olderCatalogue(folder, 2);
    old.exec(`
      INSERT INTO investigation (path, storage, name, format, size_bytes, added_at, machine, gpu,
        sample, synthetic)
      VALUES ('/gone/run.db', 'referenced', 'run.db', 'Ingero', 5, '2026', 'node17', 'RTX 4090', 0, 0);
      INSERT INTO tag VALUES (1, 'kept')`);
    old.close();
    const { search, calls } = testLibrary(folder);
    expect(await search('node17 4090 ingero kept')).toEqual(['run.db']);
    expect(value(await calls.find({ id: 1 }, noContext))).toMatchObject({ tags: ['kept'] });
  });

  test('3 → 4 keeps all entries, none with a role that was set, and room for them', async () => {
    const folder = testFolder();
    const old = olderCatalogue(folder, 3);
    old.exec(`
      INSERT INTO investigation (path, storage, name, format, size_bytes, added_at, sample, synthetic)
      VALUES ('/gone/run.db', 'referenced', 'run.db', 'Ingero', 5, '2026', 0, 0)`);
    old.close();
    const { calls } = testLibrary(folder);
    expect(value(await calls.roles({ id: 1 }, noContext))).toEqual([]);
    const roles = [{ pid: 7, startNs: 5, role: 'launcher' as const }];
    expect((await calls.saveRoles({ id: 1, roles }, noContext)).ok).toBe(true);
    expect(value(await calls.roles({ id: 1 }, noContext))).toEqual(roles);
  });

  test('4 → 5 keeps the user’s verdicts, still found, with room for the analysis’s', async () => {
    const folder = testFolder();
    const old = olderCatalogue(folder, 4);
    old.exec(`
      INSERT INTO investigation (path, storage, name, format, size_bytes, added_at, sample, synthetic,
        verdict_kind, verdict_text)
      VALUES ('/gone/run.db', 'referenced', 'run.db', 'Ingero', 5, '2026', 0, 0, 'other', 'the disk')`);
    old.close();
    const { calls, search } = testLibrary(folder);
    const verdict = { kind: 'other', text: 'the disk' };
    const kept = value(await calls.find({ id: 1 }, noContext));
    expect(kept).toMatchObject({ verdict });
    expect(kept).not.toHaveProperty('found');
    expect(await search('disk')).toEqual(['run.db']);
    const found = { kind: 'balanced', text: '' } as const;
    expect(value(await calls.noteFound({ id: 1, found }, noContext))).toBe(true);
  });

  test('5 → 6 keeps all entries, with room for what was not real, and has the sample read again', async () => {
    const folder = testFolder();
    const old = olderCatalogue(folder, 5);
    old.exec(`
      INSERT INTO investigation (path, storage, name, format, size_bytes, added_at, length_ns, sample,
        synthetic)
      VALUES ('/gone/run.db', 'referenced', 'run.db', 'Ingero', 5, '2026', 7, 0, 0),
        ('/gone/sample.db', 'referenced', 'sample.db', 'Stalltrace', 5, '2026', 7, 1, 0)`);
    old.close();
    const { calls } = testLibrary(folder);
    const kept = value(await calls.find({ id: 1 }, noContext));
    expect(kept).toMatchObject({ name: 'run.db', lengthNs: 7 });
    expect(kept).not.toHaveProperty('simulated');
    expect(value(await calls.find({ id: 2 }, noContext))).not.toHaveProperty('lengthNs');
    const entry = testEntry({ path: '/gone/sample.db', simulated: 'There was no GPU.' });
    expect(value(await calls.put({ entry }, noContext)).investigation).toMatchObject({
      id: 2,
      simulated: 'There was no GPU.',
    });
  });

  test('6 → 7 keeps all entries, with room for how they were captured, which stays', async () => {
    const folder = testFolder();
    const old = olderCatalogue(folder, 6);
    old.exec(`
      INSERT INTO investigation (path, storage, name, format, size_bytes, added_at, sample, synthetic)
      VALUES ('/gone/run.db', 'referenced', 'run.db', 'Stalltrace', 5, '2026', 0, 0)`);
    old.close();
    const { calls } = testLibrary(folder);
    expect(value(await calls.find({ id: 1 }, noContext))).not.toHaveProperty('origin');
    const origin: CaptureOrigin = {
      ...{ label: 'gpu-box', target: { name: '10.0.0.7', user: 'me' }, kind: 'command' },
      settings: defaultCapture,
    };
    const path = '/gone/run.db';
    value(await calls.put({ entry: testEntry({ path, origin }) }, noContext));
    const opened = { id: 1, entry: testEntry({ path }) };
    expect(value(await calls.noteOpened(opened, noContext)).origin).toEqual(origin);
  });

  test('7 → 8 keeps all entries, with room for statements', async () => {
    const folder = testFolder();
    const old = olderCatalogue(folder, 7);
    old.exec(`
      INSERT INTO investigation (path, storage, name, format, size_bytes, added_at, sample, synthetic)
      VALUES ('/gone/run.db', 'referenced', 'run.db', 'Stalltrace', 5, '2026', 0, 0)`);
    old.close();
    const { calls } = testLibrary(folder);
    expect(value(await calls.find({ id: 1 }, noContext))).toMatchObject({ name: 'run.db' });
    expect(value(await calls.savedQueries({}, noContext))).toEqual([]);
    const query = { name: 'one', text: 'SELECT 1' };
    expect(value(await calls.putQuery(query, noContext))).toEqual(query);
  });

  test('8 → 9 keeps all entries, with room for the folder that a copy was made from, which stays', async () => {
    const folder = testFolder();
    const old = olderCatalogue(folder, 8);
    old.exec(`
      INSERT INTO investigation (path, storage, name, format, size_bytes, added_at, sample, synthetic)
      VALUES ('/gone/run.db', 'referenced', 'run.db', 'Stalltrace', 5, '2026', 0, 0)`);
    old.close();
    const { calls } = testLibrary(folder);
    expect(value(await calls.find({ id: 1 }, noContext))).not.toHaveProperty('folder');
    const path = '/gone/run.db';
    value(await calls.put({ entry: testEntry({ path, folder: 'first' }) }, noContext));
    const opened = { id: 1, entry: testEntry({ path }) };
    expect(value(await calls.noteOpened(opened, noContext)).folder).toBe('first');
  });

  test('of an empty version 1 give the ids after those it gave', async () => {
    const folder = testFolder();
    const old = olderCatalogue(folder, 1);
    old.exec(`INSERT INTO investigation (path, name, format, size_bytes, added_at, sample, synthetic)
      VALUES ('/a', 'a', 'Ingero', 1, '2026', 0, 0); DELETE FROM investigation`);
    old.close();
    expect((await testLibrary(folder).add('new')).id).toBe(2);
  });

  test('that fail leave the catalogue as it was', () => {
    const folder = testFolder();
    const old = olderCatalogue(folder, 1);
    old.exec('CREATE TABLE tag (in_the_way TEXT)');
    old.close();
    const opened = openDatabase(join(folder, 'library.db'));
    expect(opened).toMatchObject({ error: { code: 'library-unavailable' } });
    const after = new Database(join(folder, 'library.db'));
    expect(after.pragma('user_version', { simple: true })).toBe(1);
    expect(after.prepare('SELECT path FROM investigation').all()).toEqual([]);
    after.close();
  });
});
