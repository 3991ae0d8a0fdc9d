import type { LibraryProcessCalls } from '../shared/contract/library-process-calls.ts';
import type { Investigation } from '../shared/library/investigation.ts';
import { ok, type Result } from '../shared/rpc/result.ts';
import type { Handlers } from '../shared/rpc/rpc.ts';
import { backUp } from './backups/back-up.ts';
import { changeEntry, readView, relocateEntry, saveView, setDamage } from './change-entry.ts';
import { hashEntry } from './hash-entry.ts';
import { hashFile } from './hash-file.ts';
import type { Library } from './library.ts';
import { entriesOfSize, listEntries } from './list-entries.ts';
import { addNotes } from './notes/merge-notes.ts';
import { noteFound } from './notes/note-found.ts';
import { listNotes, putNote, removeNote } from './notes/notes.ts';
import { noteOpened, putEntry } from './put-entry.ts';
import { createQueue } from './queue.ts';
import { removeEntry, restoreEntry, takeDueRemovals } from './removals.ts';
import { readRoles, saveRoles } from './roles.ts';
import { listQueries, putQuery, removeQuery } from './saved-queries.ts';
import { changeSettings, readSettings } from './settings.ts';
import { findRow, notFound, readInvestigation, type Store } from './store/store.ts';

/** Every call of the catalogue's process. */
export function libraryHandlers(library: Library): Handlers<LibraryProcessCalls> {
  // One file at a time: two would only make the disk seek.
  const hashing = createQueue();
  return {
    list: ({ search }) => library.use(async (store) => ok(await listEntries(store, search))),
    find: ({ id }) =>
      library.use((store) => (findRow(store, id) ? readInvestigation(store, id) : notFound(id))),
    ofSize: ({ sizeBytes }) =>
      library.use(async (store) => ok(await entriesOfSize(store, sizeBytes))),
    put: ({ entry }) =>
      library.use(async (store) => {
        const { id, wasKnown } = putEntry(store, entry);
        const found = await readInvestigation(store, id);
        if (!found.ok) throw new Error('an entry that was just written is not there');
        return ok({ investigation: found.value, wasKnown });
      }),
    noteOpened: (args) => library.use((store) => thenRead(store, noteOpened(store, args))),
    change: (args) => library.use((store) => thenRead(store, changeEntry(store, args))),
    noteFound: (args) => library.use((store) => noteFound(store, args)),
    relocate: (args) => library.use((store) => thenRead(store, relocateEntry(store, args))),
    setDamage: (args) => library.use((store) => setDamage(store, args)),
    remove: (args) => library.use((store) => removeEntry(store, args)),
    restore: ({ id }) => library.use((store) => thenRead(store, restoreEntry(store, id))),
    takeDueRemovals: ({ graceMs }) => library.use((store) => ok(takeDueRemovals(store, graceMs))),
    hash: ({ id }, context) =>
      hashing.run(context.signal, async () => {
        const hashed = await hashEntry(library, id, context);
        return hashed.ok ? library.use((store) => readInvestigation(store, id)) : hashed;
      }),
    hashFile: ({ path }, context) =>
      hashing.run(context.signal, async () => {
        const hashed = await hashFile(path, context);
        return hashed.ok ? ok(hashed.value.sha256) : hashed;
      }),
    saveView: (args) => library.use((store) => saveView(store, args)),
    view: ({ id }) => library.use((store) => readView(store, id)),
    roles: ({ id }) => library.use((store) => readRoles(store, id)),
    saveRoles: (args) => library.use((store) => saveRoles(store, args)),
    notes: ({ id }) => library.use((store) => listNotes(store, id)),
    putNote: (args) => library.use((store) => putNote(store, args)),
    removeNote: (args) => library.use((store) => removeNote(store, args)),
    addNotes: (args) => library.use((store) => addNotes(store, args)),
    savedQueries: () => library.use((store) => ok(listQueries(store))),
    putQuery: (query) => library.use((store) => putQuery(store, query)),
    removeQuery: ({ name }) => library.use((store) => removeQuery(store, name)),
    settings: () => library.use((store) => ok(readSettings(store))),
    changeSettings: ({ changes }) => library.use((store) => ok(changeSettings(store, changes))),
    health: async () => ok(library.health()),
    restoreBackup: ({ name }) => library.restoreBackup(name),
    end: async () => {
      await library.end();
      return ok(null);
    },
    backUp: ({ folder }) => library.use((store) => backUp(store, folder)),
  };
}

/** The entry that was written, as it is now. */
async function thenRead<Code extends string>(
  store: Store,
  written: Result<number, Code>,
): Promise<Result<Investigation, Code | 'not-found'>> {
  return written.ok ? readInvestigation(store, written.value) : written;
}
