import { createHash } from 'node:crypto';
import type {
  AddedNotes,
  LibraryProcessCalls,
} from '../../shared/contract/library-process-calls.ts';
import { MAX_NOTES } from '../../shared/library/note.ts';
import { ok, type Result } from '../../shared/rpc/result.ts';
import type { ArgumentsOf } from '../../shared/rpc/rpc.ts';
import { findRow, notFound, type Store, write } from '../store/store.ts';
import { countNotes, findNote, isoTime, writeNote } from './note-rows.ts';
import { tooManyNotes } from './notes.ts';

type SentNotes = ArgumentsOf<LibraryProcessCalls, 'addNotes'>['notes'];

/**
 * Adds notes from elsewhere, all or none; returns how many of each kind were new. One with a known id and the
 * same text is known; with another text it is kept beside, under an id made of both, so that the
 * same notes added again are known as well.
 */
export function addNotes(
  store: Store,
  { id, notes }: { id: number; notes: SentNotes },
): Result<AddedNotes, 'not-found' | 'too-many-notes'> {
  return write(store, () => {
    if (findRow(store, id) === undefined) return notFound(id);
    const added = newNotes(store, id, notes);
    if (countNotes(store, id) + added.length > MAX_NOTES) return tooManyNotes();
    const freeSlots = slotsLeft(store, id);
    for (const { slot, ...note } of added) {
      // The user's own bookmarks keep their digits.
      const keepsSlot = slot !== undefined && freeSlots.delete(slot);
      writeNote(store, id, {
        ...note,
        ...(keepsSlot && { slot }),
        createdAt: isoTime(note.createdAt),
        updatedAt: isoTime(note.updatedAt),
      });
    }
    const bookmarks = added.filter(({ kind }) => kind === 'bookmark').length;
    return ok({ notes: added.length - bookmarks, bookmarks });
  });
}

function newNotes(store: Store, id: number, notes: SentNotes): SentNotes {
  const there = noteIds(store, id);
  const added = new Map<string, SentNotes[number]>();
  function knownText(noteId: string): string | undefined {
    return (
      added.get(noteId)?.text ?? (there.has(noteId) ? findNote(store, id, noteId)?.text : undefined)
    );
  }
  for (const note of notes) {
    const text = note.text.toWellFormed();
    const noteId = note.id.toLowerCase();
    const known = knownText(noteId);
    if (known === text) continue;
    const own = known === undefined ? noteId : derivedId(noteId, text);
    if (!added.has(own) && !there.has(own)) added.set(own, { ...note, id: own, text });
  }
  return [...added.values()];
}

function noteIds({ database }: Store, id: number): Set<string> {
  const ids = database.prepare<[number], string>('SELECT id FROM note WHERE investigation = ?');
  return new Set(ids.pluck().all(id));
}

/** A UUID (RFC 9562, version 8) that the same id and text always give. */
function derivedId(id: string, text: string): string {
  const bytes = createHash('sha256').update(`${id}\n${text}`).digest().subarray(0, 16);
  bytes[6] = ((bytes[6] ?? 0) & 0x0f) | 0x80;
  bytes[8] = ((bytes[8] ?? 0) & 0x3f) | 0x80;
  return bytes.toString('hex').replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
}

function slotsLeft({ database }: Store, id: number): Set<number> {
  const taken = database
    .prepare<[number], number>('SELECT slot FROM note WHERE investigation = ? AND slot IS NOT NULL')
    .pluck()
    .all(id);
  return new Set([1, 2, 3, 4, 5, 6, 7, 8, 9].filter((slot) => !taken.includes(slot)));
}
