import type { AreaHandlers, Services } from '../services/services.ts';

/** Notes and bookmarks: the library keeps them, everybody who shows them is told. */
export function notesHandlers({ library, emit }: Services): AreaHandlers<'notes'> {
  /** The list shows how many notes an entry has, and its search finds them. */
  function changed(investigation: number): void {
    emit('notes.changed', { investigation });
    emit('library.changed', null);
  }
  return {
    'notes.list': ({ investigation: id }) => library.call('notes', { id }),
    async 'notes.put'({ investigation: id, ...put }) {
      const written = await library.call('putNote', { id, ...put });
      if (written.ok) changed(id);
      return written;
    },
    async 'notes.remove'({ investigation, note, basedOn }) {
      const version = basedOn === undefined ? {} : { basedOn };
      const removed = await library.call('removeNote', { id: investigation, note, ...version });
      if (removed.ok) changed(investigation);
      return removed;
    },
  };
}
