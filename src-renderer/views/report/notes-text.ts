import type { Note } from '../../../src-main/shared/library/note.ts';
import { plural } from '../../../src-main/shared/text/units.ts';

/** `3 notes, 1 bookmark`; empty where there are none. */
export function notesText(notes: readonly Pick<Note, 'kind'>[]): string {
  const bookmarks = notes.filter(({ kind }) => kind === 'bookmark').length;
  const others = notes.length - bookmarks;
  return [
    ...(others > 0 ? [plural(others, 'note')] : []),
    ...(bookmarks > 0 ? [plural(bookmarks, 'bookmark')] : []),
  ].join(', ');
}
