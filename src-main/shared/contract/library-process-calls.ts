import { z } from 'zod';
import {
  type Investigation,
  investigationName,
  tagsSchema,
  verdictSchema,
} from '../library/investigation.ts';
import { backupName, type LibraryHealth, type RestoredBackup } from '../library/library-health.ts';
import { type Note, noteDraft } from '../library/note.ts';
import { queryName, queryText, type SavedQuery } from '../library/saved-query.ts';
import { type SetRole, setRoles } from '../library/set-role.ts';
import { type Settings, settingsChange } from '../library/settings.ts';
import { type SavedView, savedView } from '../library/view.ts';
import { captureOrigin } from '../remote/capture-origin.ts';
import { type CallTable, defineCall as call, returns } from '../rpc/rpc.ts';

/** What is known of a trace file when it enters the catalogue, or has just been opened. */
const catalogueEntry = z.strictObject({
  path: z.string(),
  name: z.string(),
  format: z.string(),
  sizeBytes: z.number().nonnegative(),
  recordedAt: z.string().optional(),
  lengthNs: z.number().nonnegative().optional(),
  machine: z.string().optional(),
  /** Its model, for the search. */
  cpu: z.string().optional(),
  gpu: z.string().optional(),
  sample: z.boolean(),
  synthetic: z.boolean(),
  simulated: z.string().optional(),
  /** How it was captured; absent: not known, or as the library knows already. */
  origin: captureOrigin.optional(),
  /** Of a copy, the folder that its file lay in; absent: not known, or as the library knows already. */
  folder: z.string().optional(),
  storage: z.enum(['copied', 'referenced']),
  sha256: z.string().optional(),
  /** Names of its processes, for the search. */
  processes: z.array(z.string()),
});
export type CatalogueEntry = z.infer<typeof catalogueEntry>;

const id = z.number().int().positive();
const byId = z.strictObject({ id });

/** A removed entry whose time to be restored has passed. */
export interface DueRemoval {
  readonly id: number;
  readonly path: string;
  /** Whether its file goes to the trash. */
  readonly trashFile: boolean;
  /** ISO 8601: a file that came to be there later is not the one that was meant. */
  readonly removedAt: string;
}

/** An entry that was written; whether it had been there before, on the list or removed. */
export interface PutEntry {
  readonly investigation: Investigation;
  readonly wasKnown: boolean;
}

/** How many were new. */
export interface AddedNotes {
  readonly notes: number;
  readonly bookmarks: number;
}

/** What the host asks of the process that owns the catalogue. */
export const libraryProcessCalls = {
  list: call(
    z.strictObject({ search: z.string().optional() }),
    returns<readonly Investigation[]>(),
    'library-unavailable',
  ),
  find: call(byId, returns<Investigation>(), 'library-unavailable', 'not-found'),
  /** Entries that may hold the same bytes as a file: those of its size, also removed ones. */
  ofSize: call(
    z.strictObject({ sizeBytes: z.number().nonnegative() }),
    returns<readonly Investigation[]>(),
    'library-unavailable',
  ),
  /** Adds the file, or brings the entry with the same path up to date; a removed one is back. */
  put: call(z.strictObject({ entry: catalogueEntry }), returns<PutEntry>(), 'library-unavailable'),
  /** The entry was opened, and `entry` is what was found: one that was removed meanwhile stays that. */
  noteOpened: call(
    z.strictObject({ id, entry: catalogueEntry }),
    returns<Investigation>(),
    'library-unavailable',
    'not-found',
  ),
  change: call(
    z.strictObject({
      id,
      name: investigationName.optional(),
      tags: tagsSchema.optional(),
      verdict: verdictSchema.nullable().optional(),
    }),
    returns<Investigation>(),
    'library-unavailable',
    'not-found',
  ),
  /** What the analysis found in the entry's trace; whether that is news. */
  noteFound: call(
    z.strictObject({ id, found: verdictSchema }),
    returns<boolean>(),
    'library-unavailable',
  ),
  /** The entry's file is elsewhere, or another one takes its place. */
  relocate: call(
    z.strictObject({
      id,
      path: z.string(),
      sizeBytes: z.number().nonnegative(),
      sha256: z.string().optional(),
      storage: z.enum(['copied', 'referenced']),
    }),
    returns<Investigation>(),
    'library-unavailable',
    'not-found',
    'path-taken',
  ),
  /** What was wrong when the file was opened last; `null` = nothing. */
  setDamage: call(
    z.strictObject({ id, damage: z.string().max(1_000).nullable() }),
    returns<null>(),
    'library-unavailable',
    'not-found',
  ),
  /** Refused for a sample whose file is there: the next start of its installation would list it again. */
  remove: call(
    z.strictObject({ id, trashFile: z.boolean() }),
    returns<null>(),
    'library-unavailable',
    'not-found',
    'sample-stays',
  ),
  restore: call(byId, returns<Investigation>(), 'library-unavailable', 'not-found'),
  /** Removals older than `graceMs` whose files were not dealt with; each is handed out to one host only. */
  takeDueRemovals: call(
    z.strictObject({ graceMs: z.number().nonnegative() }),
    returns<readonly DueRemoval[]>(),
    'library-unavailable',
  ),
  /** Hashes the entry's file, and keeps the hash with the file's size and time. */
  hash: call(
    byId,
    returns<Investigation>(),
    'library-unavailable',
    'not-found',
    'file-missing',
    'file-unreadable',
  ),
  /** SHA-256 of any file, hex. */
  hashFile: call(
    z.strictObject({ path: z.string() }),
    returns<string>(),
    'file-missing',
    'file-unreadable',
  ),
  saveView: call(
    z.strictObject({ id, view: savedView.nullable() }),
    returns<null>(),
    'library-unavailable',
    'not-found',
  ),
  view: call(byId, returns<SavedView | null>(), 'library-unavailable', 'not-found'),
  roles: call(byId, returns<readonly SetRole[]>(), 'library-unavailable', 'not-found'),
  saveRoles: call(
    z.strictObject({ id, roles: setRoles }),
    returns<null>(),
    'library-unavailable',
    'not-found',
  ),
  notes: call(byId, returns<readonly Note[]>(), 'library-unavailable', 'not-found'),
  putNote: call(
    z.strictObject({
      id,
      note: noteDraft,
      basedOn: z.string().optional(),
      createdAt: z.string().optional(),
    }),
    returns<Note>(),
    'library-unavailable',
    'not-found',
    'note-changed',
    'too-many-notes',
  ),
  removeNote: call(
    z.strictObject({ id, note: z.uuid(), basedOn: z.string().max(40).optional() }),
    returns<null>(),
    'library-unavailable',
    'not-found',
    'note-changed',
  ),
  /**
   * Adds the notes and bookmarks of a .stalltrace file; returns how many of each were new. One with a known id and another
   * text is kept beside the one that is there: nobody's words are lost.
   */
  addNotes: call(
    z.strictObject({
      id,
      notes: z.array(noteDraft.and(z.object({ createdAt: z.string(), updatedAt: z.string() }))),
    }),
    returns<AddedNotes>(),
    'library-unavailable',
    'not-found',
    'too-many-notes',
  ),
  savedQueries: call(z.strictObject({}), returns<readonly SavedQuery[]>(), 'library-unavailable'),
  putQuery: call(
    z.strictObject({ name: queryName, text: queryText }),
    returns<SavedQuery>(),
    'library-unavailable',
    'too-many-queries',
  ),
  removeQuery: call(z.strictObject({ name: z.string() }), returns<null>(), 'library-unavailable'),
  settings: call(z.strictObject({}), returns<Settings>(), 'library-unavailable'),
  changeSettings: call(
    z.strictObject({ changes: settingsChange }),
    returns<Settings>(),
    'library-unavailable',
  ),
  health: call(z.strictObject({}), returns<LibraryHealth>(), 'library-unavailable'),
  restoreBackup: call(
    z.strictObject({ name: backupName }),
    returns<RestoredBackup>(),
    'library-unavailable',
    'not-found',
    'disk-full',
  ),
  /** The last call: what is new is backed up, and the log is in the file. */
  end: call(z.strictObject({}), returns<null>()),
  /** A consistent copy of the catalogue as `folder`/library.db, which must not exist. */
  backUp: call(
    z.strictObject({ folder: z.string() }),
    returns<null>(),
    'library-unavailable',
    'folder-unusable',
    'disk-full',
  ),
} as const satisfies CallTable;

export type LibraryProcessCalls = typeof libraryProcessCalls;
