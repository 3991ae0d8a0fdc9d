import { describe, expect, test } from 'vitest';
import { libraryProcessCalls } from '../../shared/contract/library-process-calls.ts';
import { MAX_NOTES, type NoteDraft } from '../../shared/library/note.ts';
import { noContext, testLibrary, testNote, value } from '../testing/test-library.ts';

const TIME = '2026-01-02T03:04:05.678Z';

function archived(changes: Partial<NoteDraft> = {}) {
  return { ...testNote(changes), createdAt: TIME, updatedAt: TIME };
}

describe('notes', () => {
  test('come back as they were written, by their start', async () => {
    const { calls, add } = testLibrary();
    const { id } = await add('trace');
    const event = {
      table: 'cuda_call',
      row: 3,
      startNs: 1.5,
      durationNs: 2,
      label: 'memcpy',
    } as const;
    const view = {
      tab: 'flame',
      flame: { weight: 'cuda-time', order: 'heavy', search: '' },
    } as const;
    const late = testNote({ startNs: 900, endNs: 900 });
    const early = testNote({
      kind: 'bookmark',
      text: '',
      startNs: 0.5,
      endNs: 7,
      event,
      slot: 3,
      view,
    });
    for (const note of [late, early]) value(await calls.putNote({ id, note }, noContext));
    const listed = value(await calls.notes({ id }, noContext));
    const times = { createdAt: expect.any(String), updatedAt: expect.any(String) };
    expect(listed).toEqual([
      { ...early, ...times },
      { ...late, ...times },
    ]);
    expect(value(await calls.find({ id }, noContext)).notes).toBe(2);
  });

  test.each([
    ['a NUL', 'a\u0000b'],
    ['SQL', `'); DROP TABLE note; --`],
    ['HTML', '<img src=x onerror=alert(1)>'],
    ['line ends and directions', '\r\n\n\t\u202e\u2028 '],
    ['100,000 characters', '🔥'.repeat(50_000)],
  ])('with %s come back exactly', async (_name, text) => {
    const { calls, add, note, search } = testLibrary();
    const { id } = await add('trace');
    expect((await note(id, text)).text).toBe(text);
    expect(value(await calls.notes({ id }, noContext))[0]?.text).toBe(text);
    expect(await search('trace')).toEqual(['trace']);
  });

  test('with half characters come back with � in their place', async () => {
    const { add, note } = testLibrary();
    const { id } = await add('trace');
    expect((await note(id, 'a\ud800b\udc00c')).text).toBe('a�b�c');
  });

  test('that were deleted come back as old as they are', async () => {
    const { calls, add, note } = testLibrary();
    const { id } = await add('trace');
    const { id: noteId, text } = await note(id, 'first');
    const createdAt = '2026-01-02T03:04:05.678Z';
    const back = { id, note: testNote({ id: noteId, text }), createdAt };
    expect(value(await calls.putNote(back, noContext)).createdAt).not.toBe(createdAt);
    value(await calls.removeNote({ id, note: noteId }, noContext));
    expect(value(await calls.putNote(back, noContext)).createdAt).toBe(createdAt);
    const changed = value(await calls.putNote({ ...back, createdAt: 'yesterday' }, noContext));
    expect(changed.createdAt).toBe(createdAt);
  });

  test('are only overwritten by who knows what is there', async () => {
    const { calls, add, note } = testLibrary();
    const { id } = await add('trace');
    const first = await note(id, 'first');
    const draft = testNote({ id: first.id, text: 'second' });
    const second = value(
      await calls.putNote({ id, note: draft, basedOn: first.updatedAt }, noContext),
    );
    expect(second.createdAt).toBe(first.createdAt);
    expect(second.updatedAt > first.updatedAt).toBe(true);
    const late = { id, note: { ...draft, text: 'third' }, basedOn: first.updatedAt };
    expect(await calls.putNote(late, noContext)).toMatchObject({ error: { code: 'note-changed' } });
    expect(value(await calls.notes({ id }, noContext))).toMatchObject([{ text: 'second' }]);
    // What another window removed while it was edited is written again.
    value(await calls.removeNote({ id, note: first.id }, noContext));
    value(await calls.putNote({ ...late, basedOn: second.updatedAt }, noContext));
    expect(value(await calls.notes({ id }, noContext))).toMatchObject([{ text: 'third' }]);
  });

  test('have times that tell versions apart, also when written faster than the clock', async () => {
    const { add, note } = testLibrary();
    const { id } = await add('trace');
    const first = await note(id, '0');
    const times = [first.updatedAt];
    for (let round = 1; round < 20; round++) {
      times.push((await note(id, `${round}`, { id: first.id })).updatedAt);
    }
    expect(new Set(times).size).toBe(20);
    expect([...times].sort()).toEqual(times);
    for (const time of times) expect(new Date(time).toISOString()).toBe(time);
  });

  test('removed and written again are there again, one removed twice is no failure', async () => {
    const { calls, add, note } = testLibrary();
    const { id } = await add('trace');
    const one = await note(id, 'one');
    for (const _twice of [1, 2]) value(await calls.removeNote({ id, note: one.id }, noContext));
    expect(value(await calls.notes({ id }, noContext))).toEqual([]);
    await note(id, 'one', { id: one.id });
    expect(value(await calls.notes({ id }, noContext))).toMatchObject([{ id: one.id }]);
  });

  test('are not removed by who saw another version', async () => {
    const { calls, add, note } = testLibrary();
    const { id } = await add('trace');
    const seen = await note(id, 'one');
    await note(id, 'two', { id: seen.id });
    const asked = { id, note: seen.id, basedOn: seen.updatedAt };
    const refused = await calls.removeNote(asked, noContext);
    expect(refused).toMatchObject({ error: { code: 'note-changed' } });
    expect(value(await calls.notes({ id }, noContext))).toMatchObject([{ text: 'two' }]);
  });

  test('share no digit', async () => {
    const { calls, add, note } = testLibrary();
    const { id } = await add('trace');
    const old = await note(id, 'old', { slot: 1, startNs: 1 });
    await note(id, 'new', { slot: 1, startNs: 2 });
    const listed = value(await calls.notes({ id }, noContext));
    expect(listed.map(({ slot }) => slot)).toEqual([undefined, 1]);
    const added = [archived({ slot: 1, startNs: 3 }), archived({ slot: 2, startNs: 4 })];
    value(await calls.addNotes({ id, notes: added }, noContext));
    const merged = value(await calls.notes({ id }, noContext));
    expect(merged.map(({ slot }) => slot)).toEqual([undefined, 1, undefined, 2]);
    expect(merged[0]?.id).toBe(old.id);
  });
});

const addedNotes = (notes: number, bookmarks = 0) => ({ ok: true, value: { notes, bookmarks } });

describe('notes of an archive', () => {
  test('pass the schema with their times', () => {
    const parsed = libraryProcessCalls.addNotes.arguments.safeParse({ id: 1, notes: [archived()] });
    expect(parsed.error).toBeUndefined();
  });

  test('added twice add nothing the second time', async () => {
    const { calls, add, note } = testLibrary();
    const { id } = await add('trace');
    const own = await note(id, 'my words');
    const notes = [
      archived({ id: own.id, text: 'their words' }),
      archived({ text: 'new' }),
      archived({ id: own.id, text: 'my words' }),
    ];
    expect(await calls.addNotes({ id, notes }, noContext)).toEqual(addedNotes(2));
    expect(await calls.addNotes({ id, notes }, noContext)).toEqual(addedNotes(0));
    const listed = value(await calls.notes({ id }, noContext));
    expect(listed.map(({ text }) => text).sort()).toEqual(['my words', 'new', 'their words']);
    expect(listed.find(({ text }) => text === 'my words')).toEqual(own);
    const theirs = listed.find(({ text }) => text === 'their words');
    expect(theirs).toMatchObject({ createdAt: TIME, updatedAt: TIME });
    // A derived id is one that can be written and removed like any other.
    value(await calls.putNote({ id, note: testNote({ id: theirs?.id ?? '' }) }, noContext));
    expect(
      libraryProcessCalls.removeNote.arguments.safeParse({ id, note: theirs?.id }).success,
    ).toBe(true);
  });

  test('are told from bookmarks', async () => {
    const { calls, add } = testLibrary();
    const { id } = await add('trace');
    const notes = [archived(), archived({ kind: 'bookmark' }), archived({ kind: 'bookmark' })];
    expect(await calls.addNotes({ id, notes }, noContext)).toEqual(addedNotes(1, 2));
  });

  test('keep all versions of one id', async () => {
    const { calls, add } = testLibrary();
    const { id } = await add('trace');
    const one = archived({ text: 'A' });
    const versions = [one, { ...one, text: 'B' }, { ...one, text: 'A' }, { ...one, text: 'C' }];
    expect(await calls.addNotes({ id, notes: versions }, noContext)).toEqual(addedNotes(3));
    expect(await calls.addNotes({ id, notes: versions }, noContext)).toEqual(addedNotes(0));
  });

  test('get a time where theirs cannot be read', async () => {
    const { calls, add } = testLibrary();
    const { id } = await add('trace');
    const notes = [
      { ...archived(), createdAt: 'yesterday', updatedAt: '2026-01-02 03:04:05.678+00:00' },
    ];
    value(await calls.addNotes({ id, notes }, noContext));
    const [note] = value(await calls.notes({ id }, noContext));
    expect(Math.abs(Date.parse(note?.createdAt ?? '') - Date.now())).toBeLessThan(60_000);
    expect(note?.updatedAt).toBe(TIME);
  });

  test('are all added or none: one investigation keeps so many', async () => {
    const { calls, add, note, search } = testLibrary();
    const { id } = await add('trace');
    const many = Array.from({ length: MAX_NOTES }, () => archived({ text: 'imported' }));
    await note(id, 'own');
    const refused = {
      error: { code: 'too-many-notes', message: expect.stringContaining('5,000') },
    };
    expect(await calls.addNotes({ id, notes: many }, noContext)).toMatchObject(refused);
    expect(value(await calls.find({ id }, noContext)).notes).toBe(1);
    expect(await search('imported')).toEqual([]);
    value(await calls.addNotes({ id, notes: many.slice(1) }, noContext));
    expect(await calls.putNote({ id, note: testNote() }, noContext)).toMatchObject(refused);
    // Another version of one that is there is no further note.
    const [first] = value(await calls.notes({ id }, noContext));
    await note(id, 'other', { id: first?.id ?? '' });
  });
});
