import { renameSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { noContext, testEntry, testLibrary, value } from '../testing/test-library.ts';

const FOUND = { kind: 'input-bound', text: '4 workers preempt each other on 2 CPUs.' } as const;

describe('what the analysis found', () => {
  test('is listed, searched, and news only once', async () => {
    const { calls, add, search } = testLibrary();
    const { id } = await add('run.db');
    expect(value(await calls.noteFound({ id, found: FOUND }, noContext))).toBe(true);
    expect(value(await calls.noteFound({ id, found: FOUND }, noContext))).toBe(false);
    const [entry] = value(await calls.list({ search: 'preempt' }, noContext));
    expect(entry).toMatchObject({ id, found: FOUND, match: { field: 'verdict', hit: 'preempt' } });
    expect(entry).not.toHaveProperty('verdict');
    expect(await search('"preempt each"')).toEqual(['run.db']);
    const other = { kind: 'balanced', text: '' } as const;
    expect(value(await calls.noteFound({ id, found: other }, noContext))).toBe(true);
    expect(await search('preempt')).toEqual([]);
  });

  test('stands behind the user’s own verdict, and is back when that is taken back', async () => {
    const { calls, add, search } = testLibrary();
    const { id } = await add('run.db');
    const verdict = { kind: 'other', text: 'the disk' } as const;
    await calls.change({ id, verdict }, noContext);
    await calls.noteFound({ id, found: FOUND }, noContext);
    expect(value(await calls.find({ id }, noContext))).toMatchObject({ verdict, found: FOUND });
    expect(await search('preempt')).toEqual([]);
    expect(await search('disk')).toEqual(['run.db']);
    await calls.change({ id, verdict: null }, noContext);
    expect(await search('preempt')).toEqual(['run.db']);
  });

  test('is of the bytes it was found in: others take it away', async () => {
    const { calls, add } = testLibrary();
    const { id, path } = await add('run.db');
    await calls.noteFound({ id, found: FOUND }, noContext);
    const same = testEntry({ path, sizeBytes: 6 });
    expect(value(await calls.noteOpened({ id, entry: same }, noContext))).toHaveProperty('found');
    const grown = testEntry({ path, sizeBytes: 7 });
    const opened = value(await calls.noteOpened({ id, entry: grown }, noContext));
    expect(opened).not.toHaveProperty('found');
    await calls.noteFound({ id, found: FOUND }, noContext);
    const to = { id, path: `${path}.2`, sizeBytes: 7, storage: 'referenced' } as const;
    expect(value(await calls.relocate(to, noContext))).not.toHaveProperty('found');
  });

  test('moves with the same bytes', async () => {
    const { calls, add } = testLibrary();
    const { id, path } = await add('run.db', { sha256: 'ab'.repeat(32) });
    await calls.noteFound({ id, found: FOUND }, noContext);
    renameSync(path, `${path}.2`);
    const to = { id, path: `${path}.2`, sizeBytes: 6, storage: 'referenced' } as const;
    const moved = await calls.relocate({ ...to, sha256: 'ab'.repeat(32) }, noContext);
    expect(value(moved)).toMatchObject({ found: FOUND });
  });

  test('of an entry that was removed meanwhile is no news', async () => {
    const { calls, add } = testLibrary();
    const { id } = await add('run.db');
    await calls.remove({ id, trashFile: false }, noContext);
    expect(value(await calls.noteFound({ id, found: FOUND }, noContext))).toBe(false);
  });

  test('is shown as text, whatever a trace’s names hold', async () => {
    const { calls, add } = testLibrary();
    const { id } = await add('run.db');
    await calls.noteFound({ id, found: { kind: 'unclear', text: 'a\nb' } }, noContext);
    expect(value(await calls.find({ id }, noContext))).toMatchObject({ found: { text: 'a␊b' } });
  });
});
