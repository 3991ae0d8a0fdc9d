import type { CallError } from '../../contract/contract.ts';
import type { AddedInvestigation } from '../../shared/library/investigation.ts';
import { type Failure, fail, ok, type Result } from '../../shared/rpc/result.ts';
import type { CallContext } from '../../shared/rpc/rpc.ts';
import type { Part } from '../file-store/file-store.ts';
import { receiveFailure } from '../file-store/receive-stream.ts';
import { type Unpacked, unpackArchive } from '../opening/unpack-archive.ts';
import type { Services } from '../services/services.ts';
import { listTaken } from './list-taken.ts';
import { type LibraryError, mergeArchive } from './merge-archive.ts';
import { takePart } from './take-file.ts';

type AddResult = Result<AddedInvestigation, CallError<'library.add'>>;

/**
 * Adds the .stalltrace file at `path`: the trace in it as a copy of the library's own, opened like
 * any other, with all that its sender kept of it. A trace that is known already gets what it lacks.
 */
export async function addArchive(
  services: Services,
  path: string,
  context: CallContext,
): Promise<AddResult> {
  let part: Part | undefined;
  try {
    part = await services.files.newPart('trace.db');
    const unpacked = await unpackArchive(path, part.folder, context);
    if (!unpacked.ok) return unpacked;
    const { fileName, tracePath, sha256, sizeBytes } = unpacked.value;
    const trace = { folder: part.folder, fileName, path: tracePath };
    const taken = await takePart(services, { part: trace, sha256, sizeBytes });
    const added = await listTaken(services, taken, context);
    return added.ok ? await restore(services, unpacked.value, added.value) : added;
  } catch (thrown) {
    return receiveFailure(thrown);
  } finally {
    if (part !== undefined) await services.files.discard(part);
  }
}

/** Gives an entry what its sender kept; one that was known keeps what is its user's own. */
async function restore(
  services: Services,
  unpacked: Unpacked,
  { investigation, wasKnown }: AddedInvestigation,
): Promise<AddResult> {
  const { library, emit } = services;
  const { id } = investigation;
  const { notes } = unpacked;
  const merged = wasKnown
    ? await mergeArchive(services, unpacked, investigation)
    : await takeOver(services, unpacked, id);
  if (!merged.ok) return gone(merged);
  const none = { notes: 0, bookmarks: 0 };
  const added =
    notes.length === 0 ? ok(none) : await library.call('addNotes', { id, notes: [...notes] });
  emit('library.changed', null);
  if (!added.ok) return gone(added);
  const { notes: notesAdded, bookmarks: bookmarksAdded } = added.value;
  if (notesAdded + bookmarksAdded > 0) emit('notes.changed', { investigation: id });
  const found = await library.call('find', { id });
  if (!found.ok) return gone(found);
  const counts = { notesAdded, bookmarksAdded };
  const answer = { investigation: found.value, wasKnown, ...counts };
  return ok(merged.value === null ? answer : { ...answer, merged: merged.value });
}

/** A new entry is as its sender left it. */
async function takeOver(
  { library }: Services,
  { name, tags, verdict, view, roles }: Unpacked,
  id: number,
): Promise<Result<null, LibraryError>> {
  const kept = { id, name, tags: [...tags], ...(verdict !== undefined && { verdict }) };
  const changed = await library.call('change', kept);
  if (!changed.ok) return changed;
  const set =
    roles.length === 0 ? ok(null) : await library.call('saveRoles', { id, roles: [...roles] });
  if (!set.ok) return set;
  return view === undefined ? ok(null) : library.call('saveView', { id, view });
}

/** An entry that another window removed meanwhile. */
function gone<Code extends string>(failed: {
  readonly ok: false;
  readonly error: Failure<Code>;
}): Result<never, Exclude<Code, 'not-found'> | 'library-unavailable'> {
  const { code, message, detail } = failed.error;
  if (code !== 'not-found') return fail(code as Exclude<Code, 'not-found'>, message, detail);
  const sentence = 'The entry was removed while its notes were added: add the file again.';
  return fail('library-unavailable', sentence);
}
