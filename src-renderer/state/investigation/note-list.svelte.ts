import type { Note } from '../../../src-main/shared/library/note.ts';
import { kindText } from './note-words.ts';

export const noteFilters = ['all', 'note', 'bookmark'] as const;
export type NoteFilter = (typeof noteFilters)[number];

const texts = new WeakMap<Note, string>();

/** All that a search looks through, in small letters. */
function searchedText(note: Note): string {
  const known = texts.get(note);
  if (known !== undefined) return known;
  const text = `${note.text}\n${note.event?.label ?? ''}\n${kindText(note)}`.toLowerCase();
  texts.set(note, text);
  return text;
}

/** Which notes the list shows. */
export class NoteList {
  readonly #notes: () => readonly Note[];
  search = $state('');
  filter = $state<NoteFilter>('all');

  /** Those in which every word of the search stands, of the kind that was asked for. */
  readonly shown: readonly Note[] = $derived.by(() => {
    const words = this.search.toLowerCase().split(/\s+/).filter(Boolean);
    return this.#notes().filter(
      (note) =>
        (this.filter === 'all' || note.kind === this.filter) &&
        (words.length === 0 || words.every((word) => searchedText(note).includes(word))),
    );
  });

  constructor(notes: () => readonly Note[]) {
    this.#notes = notes;
  }

  count(filter: NoteFilter): number {
    const notes = this.#notes();
    return filter === 'all' ? notes.length : notes.filter(({ kind }) => kind === filter).length;
  }

  showAll(): void {
    this.search = '';
    this.filter = 'all';
  }
}
