import { join } from 'node:path';
import Database from 'better-sqlite3';
import { describe, expect, test } from 'vitest';
import { defaultSettings, type SettingsChange } from '../shared/library/settings.ts';
import { noContext, testLibrary, value } from './testing/test-library.ts';

describe('settings', () => {
  test('are the defaults until they are changed, one by one', async () => {
    const first = testLibrary();
    expect(value(await first.calls.settings({}, noContext))).toEqual(defaultSettings);
    const keys = { 'timeline.zoomIn': ['Mod+KeyE'] };
    value(await first.calls.changeSettings({ changes: { theme: 'dark' } }, noContext));
    const changed = value(await first.calls.changeSettings({ changes: { keys } }, noContext));
    expect(changed).toEqual({ ...defaultSettings, theme: 'dark', keys });
    first.close();
    const again = testLibrary(first.folder);
    expect(value(await again.calls.settings({}, noContext))).toEqual(changed);
  });

  test('of two windows do not undo each other, and a reset takes only what it names', async () => {
    const { calls } = testLibrary();
    const change = async (changes: SettingsChange) =>
      value(await calls.changeSettings({ changes }, noContext));
    await change({ keys: { palette: ['KeyP'], help: [] }, panes: { notes: 300 } });
    await change({ keys: { 'zoom-in': ['KeyE'] }, panes: { labels: 200 } });
    expect(await change({ theme: 'dark' })).toMatchObject({
      keys: { palette: ['KeyP'], help: [], 'zoom-in': ['KeyE'] },
      panes: { notes: 300, labels: 200 },
    });
    await change({ keys: { palette: null, unknown: null }, panes: { labels: null } });
    expect(value(await calls.settings({}, noContext))).toMatchObject({
      keys: { help: [], 'zoom-in': ['KeyE'] },
      panes: { notes: 300 },
    });
  });

  test('that this version does not understand are the defaults, each by itself', async () => {
    const { calls, folder } = testLibrary();
    value(await calls.changeSettings({ changes: { theme: 'dark', wheel: 'zoom' } }, noContext));
    const database = new Database(join(folder, 'library.db'));
    const put = database.prepare('INSERT OR REPLACE INTO setting (key, value) VALUES (?, ?)');
    put.run('theme', '"sepia"');
    put.run('keys', '{"a": "not a list"}');
    put.run('panes', '{torn');
    put.run('future', '"kept"');
    put.run('__proto__', '{"theme": "light"}');
    expect(value(await calls.settings({}, noContext))).toEqual({
      ...defaultSettings,
      wheel: 'zoom',
    });
    value(await calls.changeSettings({ changes: { wheel: 'scroll' } }, noContext));
    const stored = database.prepare(`SELECT value FROM setting WHERE key = 'future'`).pluck().get();
    expect(stored).toBe('"kept"');
    database.close();
  });
});
