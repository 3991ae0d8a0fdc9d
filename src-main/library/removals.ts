import { existsSync } from 'node:fs';
import type { DueRemoval } from '../shared/contract/library-process-calls.ts';
import { fail, ok, type Result } from '../shared/rpc/result.ts';
import { forgetEntry } from './store/search-index.ts';
import { findRow, notFound, type Store, write } from './store/store.ts';

/** How long a removed entry can be brought back with its notes. */
const KEPT_MS = 30 * 24 * 60 * 60 * 1000;

/** Takes the entry off the list; nothing is deleted yet. */
export function removeEntry(
  store: Store,
  { id, trashFile }: { id: number; trashFile: boolean },
): Result<null, 'not-found' | 'sample-stays'> {
  const { database, paths } = store;
  return write(store, () => {
    const row = findRow(store, id);
    if (row === undefined) return notFound(id);
    if (row.sample === 1 && existsSync(paths.toAbsolute(row.path))) return sampleStays();
    database
      .prepare(
        'UPDATE investigation SET removed_at = ?, trash_file = ?, removal_taken = 0 WHERE id = ?',
      )
      .run(new Date().toISOString(), trashFile || row.storage === 'copied' ? 1 : 0, id);
    return ok(null);
  });
}

/** Also for an entry that is on the list: two windows may undo the same. */
export function restoreEntry({ database }: Store, id: number): Result<number, 'not-found'> {
  const { changes } = database
    .prepare(
      'UPDATE investigation SET removed_at = NULL, trash_file = 0, removal_taken = 0 WHERE id = ?',
    )
    .run(id);
  return changes === 0 ? notFound(id) : ok(id);
}

/** A file that an entry on the list uses as well stays where it is. */
const DUE = `
  SELECT id, path, removed_at, trash_file AND NOT EXISTS (
      SELECT 1 FROM investigation AS other
      WHERE other.path = removed.path AND other.removed_at IS NULL
    ) AS trash_file
  FROM investigation AS removed
  WHERE removed_at <= ? AND removal_taken = 0
  ORDER BY removed_at, id`;

interface DueRow {
  id: number;
  path: string;
  trash_file: number;
  removed_at: string;
}

export function takeDueRemovals(store: Store, graceMs: number): DueRemoval[] {
  const { database, paths } = store;
  const until = new Date(Math.max(0, Date.now() - graceMs)).toISOString();
  return write(store, () => {
    const due = database.prepare<[string], DueRow>(DUE).all(until);
    const take = database.prepare('UPDATE investigation SET removal_taken = 1 WHERE id = ?');
    for (const { id } of due) take.run(id);
    return due.map(({ id, path, trash_file, removed_at: removedAt }) => ({
      id,
      path: paths.toAbsolute(path),
      trashFile: trash_file === 1,
      removedAt,
    }));
  });
}

/** Deletes what was removed long ago, with its notes, once a host has dealt with its file. */
export function forgetOldRemovals(store: Store, nowMs = Date.now()): void {
  const { database } = store;
  const until = new Date(nowMs - KEPT_MS).toISOString();
  const old = database
    .prepare<[string], number>(
      'SELECT id FROM investigation WHERE removed_at < ? AND removal_taken = 1',
    )
    .pluck();
  // Looked at first without the write lock: nearly always there is nothing to do.
  if (old.get(until) === undefined) return;
  write(store, () => {
    for (const id of old.all(until)) {
      forgetEntry(database, id);
      database.prepare('DELETE FROM investigation WHERE id = ?').run(id);
    }
  });
}

function sampleStays(): Result<never, 'sample-stays'> {
  return fail('sample-stays', 'The sample comes with Stalltrace and stays in the library.');
}
