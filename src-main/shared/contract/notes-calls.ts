import { z } from 'zod';
import { type Note, noteDraft } from '../library/note.ts';
import { type CallTable, defineCall as call, returns } from '../rpc/rpc.ts';
import { investigationId } from './library-calls.ts';

export const notesCalls = {
  /** Notes and bookmarks of an investigation by their start. */
  'notes.list': call(
    z.strictObject({ investigation: investigationId }),
    returns<readonly Note[]>(),
    'library-unavailable',
    'not-found',
  ),
  /**
   * Writes a note, a new one or another version of the one with its id. `basedOn` is the `updatedAt`
   * of the version that was edited: where another window wrote since, it fails with `note-changed`.
   * `createdAt` is for a note that was deleted and comes back; of one that is there it is ignored.
   */
  'notes.put': call(
    z.strictObject({
      investigation: investigationId,
      note: noteDraft,
      basedOn: z.string().max(40).optional(),
      createdAt: z.string().max(40).optional(),
    }),
    returns<Note>(),
    'library-unavailable',
    'not-found',
    'note-changed',
    'too-many-notes',
  ),
  /**
   * Removes a note; writing it again with its id and `createdAt` undoes that. `basedOn` is the `updatedAt` of the
   * version that was seen: another one fails with `note-changed` and stays.
   */
  'notes.remove': call(
    z.strictObject({
      investigation: investigationId,
      note: z.uuid(),
      basedOn: z.string().max(40).optional(),
    }),
    returns<null>(),
    'library-unavailable',
    'not-found',
    'note-changed',
  ),
} as const satisfies CallTable;
