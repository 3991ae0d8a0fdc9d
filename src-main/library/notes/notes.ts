import type { LibraryProcessCalls } from '../../shared/contract/library-process-calls.ts';
import { MAX_NOTES, type Note } from '../../shared/library/note.ts';
import { fail, ok, type Result } from '../../shared/rpc/result.ts';
import type { ArgumentsOf } from '../../shared/rpc/rpc.ts';
import { formatCount } from '../../shared/text/units.ts';
import { findRow, notFound, type Store, write } from '../store/store.ts';
import {
  countNotes,
  deleteNote,
  findNote,
  isoTime,
  type NoteRow,
  readNotes,
  toNote,
  writeNote,
} from './note-rows.ts';

export function listNotes(store: Store, id: number): Result<Note[], 'not-found'> {
  return store.database.transaction(() =>
    findRow(store, id) === undefined ? notFound(id) : ok(readNotes(store, id)),
  )();
}

/**
 * Writes a new note, or another version of the one with its id. One that another window removed
 * meanwhile is written again: the user is at work on it. `createdAt` is that of one that was deleted.
 */
export function putNote(
  store: Store,
  { id, note, basedOn, createdAt }: ArgumentsOf<LibraryProcessCalls, 'putNote'>,
): Result<Note, 'not-found' | 'note-changed' | 'too-many-notes'> {
  return write(store, () => {
    if (findRow(store, id) === undefined) return notFound(id);
    const before = findNote(store, id, note.id);
    if (before !== undefined && basedOn !== undefined && basedOn !== before.updated_at) {
      return noteChanged();
    }
    if (before === undefined && countNotes(store, id) >= MAX_NOTES) return tooManyNotes();
    if (note.slot !== undefined) freeSlot(store, id, note.slot);
    const now = timeAfter(before);
    writeNote(store, id, { ...note, createdAt: isoTime(createdAt ?? now), updatedAt: now });
    return written(store, id, note.id);
  });
}

function written(store: Store, id: number, note: string): Result<Note, never> {
  const row = findNote(store, id, note);
  if (row === undefined) throw new Error('a note that was just written is not there');
  return ok(toNote(row));
}

/** A digit recalls one bookmark: the one that got it last. */
function freeSlot({ database }: Store, id: number, slot: number): void {
  database
    .prepare('UPDATE note SET slot = NULL WHERE investigation = ? AND slot = ?')
    .run(id, slot);
}

/** Later than the version before, also within one ms: `updatedAt` tells versions apart. */
function timeAfter(before: NoteRow | undefined): string {
  const last = before === undefined ? 0 : Date.parse(before.updated_at);
  return new Date(Math.max(Date.now(), last + 1)).toISOString();
}

/** A note that is gone already is no failure: two windows may remove the same one. */
export function removeNote(
  store: Store,
  { id, note, basedOn }: ArgumentsOf<LibraryProcessCalls, 'removeNote'>,
): Result<null, 'not-found' | 'note-changed'> {
  return write(store, () => {
    if (findRow(store, id) === undefined) return notFound(id);
    const row = findNote(store, id, note);
    if (row === undefined) return ok(null);
    if (basedOn !== undefined && basedOn !== row.updated_at) return noteChanged();
    deleteNote(store, row.row);
    return ok(null);
  });
}

function noteChanged(): Result<never, 'note-changed'> {
  return fail(
    'note-changed',
    'Another window changed this note since: copy your text, reload the notes, and put it in again.',
  );
}

export function tooManyNotes(): Result<never, 'too-many-notes'> {
  return fail(
    'too-many-notes',
    `An investigation keeps at most ${formatCount(MAX_NOTES)} notes: remove some and try again.`,
  );
}
