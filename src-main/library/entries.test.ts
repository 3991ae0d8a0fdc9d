import { appendFileSync, mkdirSync, renameSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { tagsSchema } from '../shared/library/investigation.ts';
import { noContext, testEntry, testLibrary, value } from './testing/test-library.ts';

describe('entries of the catalogue', () => {
  test('stay across a reopening, last opened or added first', async () => {
    const first = testLibrary();
    const entry = testEntry({ path: '/a', name: 'a' });
    const { id } = value(await first.calls.put({ entry }, noContext)).investigation;
    await first.add('b', {
      gpu: 'RTX 4090',
      lengthNs: 5.4,
      machine: 'host',
      processes: ['python'],
    });
    await new Promise((resolve) => setTimeout(resolve, 2));
    await first.calls.noteOpened({ id, entry }, noContext);
    first.close();
    const again = testLibrary(first.folder);
    const [a, b] = value(await again.calls.list({}, noContext));
    expect(a).toMatchObject({
      name: 'a',
      state: 'missing',
      storage: 'referenced',
      tags: [],
      notes: 0,
    });
    expect(a?.openedAt).toMatch(/^\d{4}-/);
    expect(b).toMatchObject({
      name: 'b',
      gpu: 'RTX 4090',
      lengthNs: 5,
      machine: 'host',
      state: 'ok',
    });
    expect(b).not.toHaveProperty('openedAt');
    expect(b).not.toHaveProperty('sha256');
    expect(b).not.toHaveProperty('verdict');
  });

  test('are known by their path and keep id, name, tags and verdict', async () => {
    const { calls, add } = testLibrary();
    const { id, path } = await add('trace.db');
    const verdict = { kind: 'input-bound', text: 'two workers feed eight GPUs' } as const;
    const changed = await calls.change(
      { id, name: 'Night run', tags: ['zeta', 'Alpha', 'alpha', 'run 10', 'run 9'], verdict },
      noContext,
    );
    expect(value(changed)).toMatchObject({
      id,
      name: 'Night run',
      tags: ['Alpha', 'run 9', 'run 10', 'zeta'],
      verdict,
    });
    const put = await add('trace.db', { path, name: 'other', sizeBytes: 20 });
    expect(put).toMatchObject({ id, name: 'Night run', sizeBytes: 20, verdict });
    expect(put.tags).toHaveLength(4);
    const grown = value(await calls.change({ id, tags: ['\u0344'.repeat(50)] }, noContext));
    expect(tagsSchema.safeParse(grown.tags).success).toBe(true);
    const cleared = value(await calls.change({ id, tags: [], verdict: null }, noContext));
    expect(cleared.tags).toEqual([]);
    expect(cleared).not.toHaveProperty('verdict');
  });

  test('that were removed, or have another file, are left so by who opened them', async () => {
    const { calls, add } = testLibrary();
    const { id, path } = await add('trace.db');
    const entry = testEntry({ path, lengthNs: 7 });
    const elsewhere = { id, path: '/moved.db', sizeBytes: 1, storage: 'referenced' } as const;
    value(await calls.relocate(elsewhere, noContext));
    const opened = value(await calls.noteOpened({ id, entry }, noContext));
    expect(opened.path).toBe('/moved.db');
    expect(opened).not.toHaveProperty('lengthNs');
    value(await calls.remove({ id, trashFile: false }, noContext));
    const moved = { ...entry, path: '/moved.db' };
    expect(await calls.noteOpened({ id, entry: moved }, noContext)).toMatchObject({
      error: { code: 'not-found' },
    });
    expect(value(await calls.list({}, noContext))).toEqual([]);
  });

  test('that are gone are said to be', async () => {
    const { calls } = testLibrary();
    const gone = { ok: false, error: { code: 'not-found' } };
    const id = 7;
    const relocation = { id, path: '/x', sizeBytes: 1, storage: 'referenced' } as const;
    for (const answer of [
      calls.find({ id }, noContext),
      calls.change({ id, name: 'x' }, noContext),
      calls.relocate(relocation, noContext),
      calls.setDamage({ id, damage: 'torn' }, noContext),
      calls.remove({ id, trashFile: false }, noContext),
      calls.restore({ id }, noContext),
      calls.hash({ id }, noContext),
      calls.saveView({ id, view: null }, noContext),
      calls.view({ id }, noContext),
      calls.notes({ id }, noContext),
      calls.removeNote({ id, note: crypto.randomUUID() }, noContext),
      calls.addNotes({ id, notes: [] }, noContext),
    ]) {
      expect(await answer).toMatchObject(gone);
    }
  });

  test('tell where their file stands', async () => {
    const { calls, add, folder } = testLibrary();
    const { id, path } = await add('trace.db');
    const state = async () => value(await calls.find({ id }, noContext)).state;
    appendFileSync(path, 'more');
    expect(await state()).toBe('ok');
    value(await calls.hash({ id }, noContext));
    expect(await state()).toBe('ok');
    appendFileSync(path, 'more');
    expect(await state()).toBe('changed');
    value(await calls.hash({ id }, noContext));
    utimesSync(path, 1, 1);
    expect(await state()).toBe('changed');
    value(await calls.setDamage({ id, damage: 'The file ends in the middle\u0000.' }, noContext));
    expect(value(await calls.find({ id }, noContext))).toMatchObject({
      state: 'damaged',
      damage: 'The file ends in the middle␀.',
    });
    renameSync(path, join(folder, 'elsewhere.db'));
    expect(await state()).toBe('missing');
    renameSync(join(folder, 'elsewhere.db'), path);
    value(await calls.setDamage({ id, damage: null }, noContext));
    expect(await state()).toBe('changed');
  });

  test('come with a hash only where the file is the one that was hashed', async () => {
    const { add } = testLibrary();
    const sha256 = 'a'.repeat(64);
    expect(await add('same', { sha256 })).toMatchObject({ sha256, state: 'ok' });
    expect(await add('longer', { sha256, sizeBytes: 3 })).not.toHaveProperty('sha256');
    expect(await add('gone', { sha256, path: '/nowhere/gone' })).not.toHaveProperty('sha256');
  });

  test('are found by their size, also removed ones', async () => {
    const { calls, add } = testLibrary();
    const one = await add('12345');
    const other = await add('abcde');
    await add('123456');
    value(await calls.remove({ id: one.id, trashFile: false }, noContext));
    const found = value(await calls.ofSize({ sizeBytes: 5 }, noContext));
    expect(found.map(({ id }) => id)).toEqual([other.id, one.id]);
  });

  test('can be given another file', async () => {
    const { calls, add, folder } = testLibrary();
    const { id, path } = await add('trace.db');
    const { name: taken } = await add('other.db');
    value(await calls.hash({ id }, noContext));
    const moved = join(folder, 'moved.db');
    renameSync(path, moved);
    const to = { id, path: moved, sizeBytes: 8, storage: 'referenced' } as const;
    const sha256 = 'b'.repeat(64);
    expect(value(await calls.relocate({ ...to, sha256 }, noContext))).toMatchObject({
      path: moved,
      sha256,
      state: 'ok',
    });
    expect(value(await calls.relocate(to, noContext))).not.toHaveProperty('sha256');
    expect(await calls.relocate({ ...to, path: join(folder, taken) }, noContext)).toMatchObject({
      error: { code: 'path-taken', message: expect.stringContaining(taken) },
    });
  });

  test('keep the view, and forget one they do not understand', async () => {
    const { calls, add } = testLibrary();
    const { id } = await add('trace.db');
    expect(await calls.view({ id }, noContext)).toEqual({ ok: true, value: null });
    const view = { tab: 'timeline', window: { startNs: 1.5, endNs: 7 } } as const;
    value(await calls.saveView({ id, view }, noContext));
    expect(await calls.view({ id }, noContext)).toEqual({ ok: true, value: view });
    value(await calls.saveView({ id, view: { tab: 'future' } as never }, noContext));
    expect(await calls.view({ id }, noContext)).toEqual({ ok: true, value: null });
    value(await calls.saveView({ id, view: null }, noContext));
    expect(await calls.view({ id }, noContext)).toEqual({ ok: true, value: null });
  });

  test('take hostile names, tags and verdicts as text', async () => {
    const { calls, add, search } = testLibrary();
    const { id } = await add("'; DROP TABLE investigation; --", {
      path: '/x\u0000y',
      processes: ['<img src=x onerror=alert(1)>', '\ud800', 'a"b*c'],
    });
    const changed = value(
      await calls.change(
        { id, tags: ['a\u202eb', '%_', '"'], verdict: { kind: 'other', text: 'x\ny' } },
        noContext,
      ),
    );
    expect(changed.tags).toContain('a�b');
    expect(changed.verdict?.text).toBe('x␊y');
    expect(await search('drop onerror')).toEqual(["'; DROP TABLE investigation; --"]);
  });
});

describe('files of the library’s own', () => {
  test('move with the data folder', async () => {
    const library = testLibrary();
    const before = join(library.folder, 'data');
    const first = testLibrary(before);
    mkdirSync(join(before, 'files'), { recursive: true });
    const path = join(before, 'files', 'copy.db');
    writeFileSync(path, 'copy');
    const copied = { path, sizeBytes: 4, storage: 'copied' } as const;
    const { id } = await first.add('copy.db', copied);
    // A host that opens it by its path does not make it the user's own.
    const put = await first.add('copy.db', { ...copied, storage: 'referenced' });
    expect(put).toMatchObject({ id, storage: 'copied', path, state: 'ok' });
    first.close();
    const after = join(library.folder, 'moved');
    renameSync(before, after);
    const second = testLibrary(after);
    const now = join(after, 'files', 'copy.db');
    expect(value(await second.calls.find({ id }, noContext))).toMatchObject({
      path: now,
      state: 'ok',
      storage: 'copied',
    });
    expect(await second.add('copy.db', { ...copied, path: now })).toMatchObject({ id });
    rmSync(now);
    expect(value(await second.calls.find({ id }, noContext)).state).toBe('missing');
  });
});
