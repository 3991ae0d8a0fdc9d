import { existsSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { describe, expect, test } from 'vitest';
import { noContext, testLibrary, value } from './testing/test-library.ts';

const DAY_MS = 24 * 60 * 60 * 1000;

describe('a removed entry', () => {
  test('is off the list and comes back with all it had', async () => {
    const { calls, add, note, search } = testLibrary();
    const { id } = await add('trace');
    await note(id, 'words');
    const before = value(await calls.change({ id, tags: ['one', 'two'] }, noContext));
    value(await calls.remove({ id, trashFile: false }, noContext));
    for (const answer of [
      calls.find({ id }, noContext),
      calls.remove({ id, trashFile: false }, noContext),
      calls.notes({ id }, noContext),
      calls.change({ id, name: 'x' }, noContext),
    ]) {
      expect(await answer).toMatchObject({ error: { code: 'not-found' } });
    }
    expect(await search()).toEqual([]);
    expect(await calls.restore({ id }, noContext)).toEqual({ ok: true, value: before });
    expect(value(await calls.notes({ id }, noContext))).toMatchObject([{ text: 'words' }]);
    expect(await calls.takeDueRemovals({ graceMs: 0 }, noContext)).toEqual({ ok: true, value: [] });
  });

  test('is back when its file is added again', async () => {
    const { calls, add, note } = testLibrary();
    const { id, path } = await add('trace');
    await note(id, 'words');
    value(await calls.remove({ id, trashFile: true }, noContext));
    expect(await add('trace', { path })).toMatchObject({ id, notes: 1 });
    expect(await calls.takeDueRemovals({ graceMs: 0 }, noContext)).toEqual({ ok: true, value: [] });
  });

  test('is handed out once, when its time has come', async () => {
    const { calls, add, folder } = testLibrary();
    const { calls: otherHost } = testLibrary(folder);
    const one = await add('one');
    const two = await add('two');
    const copy = await add('copy', { storage: 'copied' });
    await add('stays');
    value(await calls.remove({ id: one.id, trashFile: true }, noContext));
    value(await calls.remove({ id: two.id, trashFile: false }, noContext));
    value(await calls.remove({ id: copy.id, trashFile: false }, noContext));
    expect(value(await calls.takeDueRemovals({ graceMs: 60_000 }, noContext))).toEqual([]);
    const due = await Promise.all(
      [calls, otherHost].map((host) => host.takeDueRemovals({ graceMs: 0 }, noContext)),
    );
    expect(due.flatMap(value)).toMatchObject([
      { id: one.id, path: one.path, trashFile: true, removedAt: expect.stringMatching(/^20.*Z$/) },
      { id: two.id, path: two.path, trashFile: false },
      { id: copy.id, path: join(folder, 'copy'), trashFile: true },
    ]);
    expect(value(await calls.takeDueRemovals({ graceMs: 0 }, noContext))).toEqual([]);
    rmSync(one.path);
    expect(value(await calls.restore({ id: one.id }, noContext)).state).toBe('missing');
  });

  test('leaves a file that another entry uses now', async () => {
    const { calls, add } = testLibrary();
    const moved = await add('moved');
    const removed = await add('removed');
    value(await calls.remove({ id: removed.id, trashFile: true }, noContext));
    const to = { id: moved.id, path: removed.path, sizeBytes: 7, storage: 'referenced' } as const;
    value(await calls.relocate(to, noContext));
    const due = value(await calls.takeDueRemovals({ graceMs: 0 }, noContext));
    expect(due).toMatchObject([{ id: removed.id, path: removed.path, trashFile: false }]);
    expect(value(await calls.restore({ id: removed.id }, noContext)).path).toBe(removed.path);
  });

  test('stays where it is the sample, unless its file is gone', async () => {
    const { calls, add } = testLibrary();
    const { id, path } = await add('sample', { sample: true });
    expect(await calls.remove({ id, trashFile: true }, noContext)).toMatchObject({
      error: { code: 'sample-stays' },
    });
    expect(existsSync(path)).toBe(true);
    rmSync(path);
    value(await calls.remove({ id, trashFile: false }, noContext));
  });

  test('is forgotten for good after 30 days, once its file was dealt with', async () => {
    const first = testLibrary();
    const { calls, add, note, folder } = first;
    for (const name of ['taken', 'waiting', 'fresh', 'listed']) {
      const { id } = await add(name);
      await note(id, name);
      if (name !== 'listed') value(await calls.remove({ id, trashFile: false }, noContext));
      if (name === 'taken') value(await calls.takeDueRemovals({ graceMs: 0 }, noContext));
    }
    first.close();
    const database = new Database(join(folder, 'library.db'));
    const longAgo = new Date(Date.now() - 31 * DAY_MS).toISOString();
    database
      .prepare(`UPDATE investigation SET removed_at = ? WHERE name IN ('taken', 'waiting')`)
      .run(longAgo);
    database.close();
    const again = testLibrary(folder);
    expect(await again.search()).toEqual(['listed']);
    again.close();
    const after = new Database(join(folder, 'library.db'));
    const names = (sql: string) => after.prepare<[], string>(sql).pluck().all();
    expect(names('SELECT name FROM investigation ORDER BY id')).toEqual([
      'waiting',
      'fresh',
      'listed',
    ]);
    expect(names('SELECT text FROM note ORDER BY row')).toEqual(['waiting', 'fresh', 'listed']);
    expect(names(`SELECT rowid FROM note_words WHERE note_words MATCH 'taken'`)).toEqual([]);
    expect(names(`SELECT rowid FROM entry_words WHERE entry_words MATCH 'taken'`)).toEqual([]);
    after.close();
  });
});
