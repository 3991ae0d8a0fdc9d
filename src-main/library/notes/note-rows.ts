import type { Note, NoteDraft } from '../../shared/library/note.ts';
import { savedEvent } from '../../shared/library/saved-event.ts';
import { savedView } from '../../shared/library/view.ts';
import { forgetNote, indexNote } from '../store/search-index.ts';
import type { Store } from '../store/store.ts';
import { parseStored } from '../store/stored-json.ts';

export interface NoteRow {
  row: number;
  id: string;
  kind: 'note' | 'bookmark';
  text: string;
  start_ns: number;
  end_ns: number;
  slot: number | null;
  event: string | null;
  view: string | null;
  created_at: string;
  updated_at: string;
}

const NOTES = `
  SELECT row, id, kind, text, start_ns, end_ns, slot, event, view, created_at, updated_at
  FROM note WHERE investigation = ?`;

/** By their start. */
export function readNotes({ database }: Store, investigation: number): Note[] {
  return database
    .prepare<[number], NoteRow>(`${NOTES} ORDER BY start_ns, end_ns, created_at, id`)
    .all(investigation)
    .map(toNote);
}

export function findNote(
  { database }: Store,
  investigation: number,
  id: string,
): NoteRow | undefined {
  return database
    .prepare<[number, string], NoteRow>(`${NOTES} AND id = ?`)
    .get(investigation, id.toLowerCase());
}

export function countNotes({ database }: Store, investigation: number): number {
  const count = database.prepare<[number], number>(
    'SELECT count(*) FROM note WHERE investigation = ?',
  );
  return count.pluck().get(investigation) ?? 0;
}

const WRITE = `
  INSERT INTO note
    (investigation, id, kind, text, start_ns, end_ns, slot, event, view, created_at, updated_at)
  VALUES
    (@investigation, @id, @kind, @text, @startNs, @endNs, @slot, @event, @view, @createdAt, @updatedAt)
  ON CONFLICT (investigation, id) DO UPDATE SET
    kind = excluded.kind, text = excluded.text, start_ns = excluded.start_ns,
    end_ns = excluded.end_ns, slot = excluded.slot, event = excluded.event, view = excluded.view,
    updated_at = excluded.updated_at
  RETURNING row`;

/** Writes the note and its words. Half characters (lone surrogates) become �, all else stays exactly. */
export function writeNote({ database }: Store, investigation: number, note: Note): void {
  const text = note.text.toWellFormed();
  const row = database
    .prepare<[Record<string, unknown>], number>(WRITE)
    .pluck()
    .get({
      investigation,
      id: note.id.toLowerCase(),
      kind: note.kind,
      text,
      startNs: note.startNs,
      endNs: note.endNs,
      slot: note.slot ?? null,
      event: note.event === undefined ? null : JSON.stringify(note.event),
      view: note.view === undefined ? null : JSON.stringify(note.view),
      createdAt: note.createdAt,
      updatedAt: note.updatedAt,
    });
  if (row === undefined) throw new Error('the catalogue returned no row');
  indexNote(database, row, text);
}

export function deleteNote({ database }: Store, row: number): void {
  forgetNote(database, row);
  database.prepare('DELETE FROM note WHERE row = ?').run(row);
}

export function toNote(row: NoteRow): Note {
  const event = parseStored(row.event, savedEvent);
  const view = parseStored(row.view, savedView);
  const draft: NoteDraft = {
    id: row.id,
    kind: row.kind,
    text: row.text,
    startNs: row.start_ns,
    endNs: row.end_ns,
    ...(event !== undefined && { event }),
    ...(row.slot !== null && { slot: row.slot }),
    ...(view !== undefined && { view }),
  };
  return { ...draft, createdAt: row.created_at, updatedAt: row.updated_at };
}

/** A time that can't be read is now. */
export function isoTime(text: string): string {
  const time = Date.parse(text);
  return new Date(Number.isNaN(time) ? Date.now() : time).toISOString();
}
