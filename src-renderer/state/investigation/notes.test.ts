import { expect, test, vi } from 'vitest';
import type { Note, NoteDraft } from '../../../src-main/shared/library/note.ts';
import { fail, ok, type Result } from '../../../src-main/shared/rpc/result.ts';
import { Toasts } from '../common/toasts.svelte.ts';
import { FakeApi } from '../testing/fake-api.ts';
import { Notes } from './notes.svelte.ts';

const ID = '33333333-3333-4333-8333-333333333333';
const OTHER = '44444444-4444-4444-8444-444444444444';

function draft(changes: Partial<NoteDraft> = {}): NoteDraft {
  return { id: ID, kind: 'note', text: 'first', startNs: 10, endNs: 20, ...changes };
}

function note(changes: Partial<Note> = {}): Note {
  return { ...draft(), createdAt: '2026-01-01', updatedAt: '1', ...changes };
}

/** A library of notes: keeps them, refuses a version that was based on another one. */
function setUp(initial: readonly Note[] = [note()]) {
  const kept = new Map(initial.map((each) => [each.id, each]));
  let version = 1;
  const fake = new FakeApi()
    .answer('notes.list', () => ok([...kept.values()]))
    .answer('notes.put', ({ note: put, basedOn, createdAt = 'now' }) => {
      const before = kept.get(put.id);
      if (basedOn !== undefined && before?.updatedAt !== basedOn)
        return fail('note-changed', 'Another window changed it.');
      version += 1;
      const created = before?.createdAt ?? createdAt;
      const saved = { ...put, createdAt: created, updatedAt: String(version) } as Note;
      kept.set(put.id, saved);
      return ok(saved);
    })
    .answer('notes.remove', ({ note: id, basedOn }) => {
      if (basedOn !== undefined && kept.get(id)?.updatedAt !== basedOn)
        return fail('note-changed', 'Another window changed it.');
      kept.delete(id);
      return ok(null);
    });
  const toasts = new Toasts();
  /** Another window writes. */
  const writeElsewhere = async (changed: Note | undefined) => {
    if (changed === undefined) kept.delete(ID);
    else kept.set(changed.id, changed);
    fake.emit('notes.changed', { investigation: 1 });
    await vi.waitFor(() => expect(notes.find(ID)).toEqual(changed));
  };
  const notes = new Notes(fake.api, toasts);
  return { fake, toasts, notes, kept, writeElsewhere };
}

test('lists by time, at an event’s start before its window’s', async () => {
  const event = { table: 'cuda_call', row: 0, startNs: 500, durationNs: 1, label: 'x' } as const;
  const { notes } = setUp([note({ event }), note({ id: OTHER, startNs: 400, endNs: 400 })]);
  expect(notes.loaded).toBe(false);
  await notes.open(1);
  expect(notes.list.map(({ id }) => id)).toEqual([OTHER, ID]);
});

test('follows what other windows write, of its own investigation only', async () => {
  const { fake, notes, writeElsewhere } = setUp();
  await notes.open(1);
  const asked = fake.asked.length;
  fake.emit('notes.changed', { investigation: 2 });
  expect(fake.asked).toHaveLength(asked);
  await writeElsewhere(note({ text: 'theirs', updatedAt: '7' }));
  expect(notes.list[0]?.text).toBe('theirs');
});

test('an answer that is overtaken by a later question does not count', async () => {
  const { fake, notes } = setUp();
  let answerFirst: (value: Result<readonly Note[]>) => void = () => {};
  fake.answer(
    'notes.list',
    () =>
      new Promise((resolve) => {
        answerFirst = resolve;
      }),
  );
  const first = notes.open(1);
  fake.answer('notes.list', () => ok([note({ text: 'of 2' })]));
  await notes.open(2);
  answerFirst(ok([note({ text: 'of 1' })]));
  await first;
  expect(notes.list.map(({ text }) => text)).toEqual(['of 2']);
});

test('a note shows while it is being saved', async () => {
  const { fake, notes } = setUp([]);
  await notes.open(1);
  let answer: (value: Result<Note>) => void = () => {};
  fake.answer(
    'notes.put',
    () =>
      new Promise((resolve) => {
        answer = resolve;
      }),
  );
  const edit = notes.write(draft({ text: '' }));
  edit.text = 'typed';
  const saved = notes.save(edit);
  expect(notes.list[0]?.text).toBe('typed');
  expect(edit.saving).toBe(true);
  answer(ok(note({ text: 'typed' })));
  await saved;
  expect(notes.list[0]?.text).toBe('typed');
  expect(notes.edits).toEqual([]);
});

test('what is typed while a text is saved stays to be saved', async () => {
  const { notes, kept } = setUp();
  await notes.open(1);
  const edit = notes.edit(note());
  edit.text = 'one';
  const saved = notes.save(edit);
  edit.text = 'one two';
  await saved;
  expect(kept.get(ID)?.text).toBe('one');
  const rest = notes.editOf(ID);
  expect([rest?.text, rest?.dirty]).toEqual(['one two', true]);
  if (rest === undefined) throw new Error('the text is lost');
  expect(notes.conflictOf(rest)).toBeUndefined();
  await notes.save(rest);
  expect(kept.get(ID)?.text).toBe('one two');
  expect(notes.edits).toEqual([]);
});

test('a save that fails takes the note back, and the text stays to be saved again', async () => {
  const { fake, notes } = setUp();
  await notes.open(1);
  fake.answer('notes.put', () => fail('disconnected', 'No connection.'));
  const edit = notes.edit(note());
  edit.text = 'long thought';
  await notes.save(edit);
  expect(notes.list[0]?.text).toBe('first');
  expect(notes.editOf(ID)).toBe(edit);
  expect([edit.text, edit.failure?.message, edit.saving]).toEqual([
    'long thought',
    'No connection.',
    false,
  ]);
  fake.answer('notes.put', ({ note: put }) => ok({ ...put, createdAt: 'x', updatedAt: '2' }));
  await notes.save(edit);
  expect(notes.list[0]?.text).toBe('long thought');
});

test('a text being written waits while another investigation is open', async () => {
  const { notes } = setUp();
  await notes.open(1);
  notes.edit(note()).text = 'half a sent';
  await notes.open(2);
  expect(notes.edits).toEqual([]);
  await notes.open(undefined);
  await notes.open(1);
  expect(notes.edits.map(({ text }) => text)).toEqual(['half a sent']);
});

test('what is being written outlives the page', async () => {
  const { notes, kept } = setUp();
  await notes.open(1);
  notes.edit(note()).text = 'half a sent';
  notes.write(draft({ id: OTHER, text: '' }));
  const { drafts } = notes;
  expect(drafts).toMatchObject([{ investigation: 1, draft: { id: ID }, text: 'half a sent' }]);
  const next = setUp().notes;
  next.adopt(drafts);
  await next.open(1);
  const edit = next.editOf(ID);
  if (edit === undefined) throw new Error('the text is lost');
  expect([edit.text, edit.dirty, next.conflictOf(edit)]).toEqual(['half a sent', true, undefined]);
  expect(kept.get(ID)?.text).toBe('first');
});

test('of two versions mine is kept, over the one that was seen', async () => {
  const { notes, kept, writeElsewhere } = setUp();
  await notes.open(1);
  const edit = notes.edit(note());
  edit.text = 'mine';
  expect(notes.conflictOf(edit)).toBeUndefined();
  await writeElsewhere(note({ text: 'theirs', updatedAt: '9' }));
  expect(notes.conflictOf(edit)?.theirs?.text).toBe('theirs');
  await notes.save(edit);
  expect(edit.failure?.code).toBe('note-changed');
  expect(kept.get(ID)?.text).toBe('theirs');
  await notes.keepMine(edit);
  expect(kept.get(ID)?.text).toBe('mine');
  expect(notes.edits).toEqual([]);
});

test('of two versions theirs is taken, and mine can be had back', async () => {
  const { notes, toasts, kept, writeElsewhere } = setUp();
  await notes.open(1);
  const edit = notes.edit(note());
  edit.text = 'mine';
  await writeElsewhere(note({ text: 'theirs', updatedAt: '9' }));
  notes.takeTheirs(edit);
  expect(notes.editOf(ID)).toBeUndefined();
  toasts.items[0]?.action?.run();
  const again = notes.editOf(ID);
  expect(again?.text).toBe('mine');
  if (again === undefined) throw new Error('the text is lost');
  expect(notes.conflictOf(again)).toBeUndefined();
  await notes.save(again);
  expect(kept.get(ID)?.text).toBe('mine');
});

test('a note deleted elsewhere is a conflict too: mine is written anew', async () => {
  const { notes, kept, writeElsewhere } = setUp();
  await notes.open(1);
  const edit = notes.edit(note());
  edit.text = 'mine';
  await writeElsewhere(undefined);
  expect(notes.conflictOf(edit)).toEqual({ theirs: undefined });
  await notes.keepMine(edit);
  expect(kept.get(ID)?.text).toBe('mine');
});

test('a deleted note comes back with Undo, as old as it is', async () => {
  const { notes, toasts, kept } = setUp();
  await notes.open(1);
  await notes.remove(note());
  expect(notes.list).toEqual([]);
  expect(toasts.items[0]?.text).toBe('Note deleted.');
  toasts.items[0]?.action?.run();
  await vi.waitFor(() => expect(kept.has(ID)).toBe(true));
  expect(notes.list).toMatchObject([{ text: 'first', createdAt: '2026-01-01' }]);
});

test('a note that somebody changed since it was read is not deleted', async () => {
  const { notes, toasts, kept } = setUp();
  await notes.open(1);
  kept.set(ID, note({ text: 'theirs', updatedAt: '9' }));
  await notes.remove(note());
  expect(notes.list.map(({ text }) => text)).toEqual(['theirs']);
  expect(toasts.items[0]?.text).toBe(
    'The note was not deleted: another window changed it, read it first.',
  );
});

test('a note that could not be deleted stays, and it is said', async () => {
  const { fake, notes, toasts } = setUp();
  await notes.open(1);
  fake.answer('notes.remove', () => fail('library-unavailable', 'It is locked.'));
  await notes.remove(note());
  expect(notes.list).toHaveLength(1);
  expect(toasts.items[0]?.text).toBe('The note was not deleted: It is locked.');
});

test('a list that fails to come is told, an earlier one stays', async () => {
  const { fake, notes } = setUp();
  await notes.open(1);
  fake.answer('notes.list', () => fail('library-unavailable', 'It is locked.'));
  await notes.reload();
  expect(notes.failure?.message).toBe('It is locked.');
  expect(notes.list).toHaveLength(1);
});
