import type { LibraryProcessCalls } from '../shared/contract/library-process-calls.ts';
import { type SavedView, savedView } from '../shared/library/view.ts';
import { fail, ok, type Result } from '../shared/rpc/result.ts';
import type { ArgumentsOf } from '../shared/rpc/rpc.ts';
import { cleanText } from '../shared/text/text.ts';
import { hashValues } from './put-entry.ts';
import { indexEntry } from './store/search-index.ts';
import { findRow, notFound, type Store, write } from './store/store.ts';
import { parseStored } from './store/stored-json.ts';

type Arguments<N extends keyof LibraryProcessCalls> = ArgumentsOf<LibraryProcessCalls, N>;

/** Name, tags and verdict: control and direction characters in them are made visible. */
export function changeEntry(
  store: Store,
  { id, name, tags, verdict }: Arguments<'change'>,
): Result<number, 'not-found'> {
  const { database } = store;
  return write(store, () => {
    if (findRow(store, id) === undefined) return notFound(id);
    if (name !== undefined) {
      const kept = cleanText(name, 200);
      database.prepare('UPDATE investigation SET name = ? WHERE id = ?').run(kept, id);
    }
    if (tags !== undefined) replaceTags(store, id, tags);
    if (verdict !== undefined) {
      const text = verdict === null ? null : cleanText(verdict.text, 300);
      database
        .prepare('UPDATE investigation SET verdict_kind = ?, verdict_text = ? WHERE id = ?')
        .run(verdict?.kind ?? null, text, id);
    }
    indexEntry(database, id);
    return ok(id);
  });
}

/** Tags that differ in case only are one: the first stays. */
function replaceTags({ database }: Store, id: number, tags: readonly string[]): void {
  const kept = new Map<string, string>();
  for (const tag of tags) {
    // Some letters become two.
    const clean = cleanText(tag.normalize('NFC'), 50);
    const key = clean.toLowerCase();
    if (!kept.has(key)) kept.set(key, clean);
  }
  database.prepare('DELETE FROM tag WHERE investigation = ?').run(id);
  const insert = database.prepare('INSERT INTO tag (investigation, name) VALUES (?, ?)');
  for (const tag of kept.values()) insert.run(id, tag);
}

const RELOCATE = `
  UPDATE investigation SET
    path = @path, storage = @storage, size_bytes = @sizeBytes, damage = NULL,
    sha256 = @sha256, hashed_size = @hashedSize, hashed_mtime_us = @hashedMtimeUs,
    found_kind = iif(@sha256 = sha256, found_kind, NULL),
    found_text = iif(@sha256 = sha256, found_text, NULL)
  WHERE id = @id`;

/**
 * The entry's file is at another path. Without a hash it has none until it is hashed again: what
 * was known belonged to the file before, and so did what was found in it.
 */
export function relocateEntry(
  store: Store,
  to: Arguments<'relocate'>,
): Result<number, 'not-found' | 'path-taken'> {
  const { database, paths } = store;
  return write(store, () => {
    if (findRow(store, to.id) === undefined) return notFound(to.id);
    const path = paths.toStored(to.path, to.storage);
    const other = database
      .prepare<[string, string, number], { name: string }>(
        `SELECT name FROM investigation
         WHERE path IN (?, ?) AND removed_at IS NULL AND id <> ? LIMIT 1`,
      )
      .get(path, to.path, to.id);
    if (other !== undefined) return pathTaken(other.name);
    database.prepare(RELOCATE).run({
      id: to.id,
      path,
      storage: to.storage,
      sizeBytes: to.sizeBytes,
      ...hashValues(to),
    });
    return ok(to.id);
  });
}

function pathTaken(name: string): Result<never, 'path-taken'> {
  return fail(
    'path-taken',
    `This file is in the library already, as “${name}”: open that one, or choose another file.`,
  );
}

export function setDamage(
  store: Store,
  { id, damage }: Arguments<'setDamage'>,
): Result<null, 'not-found'> {
  return changeColumn(store, id, 'damage', damage === null ? null : cleanText(damage));
}

export function saveView(
  store: Store,
  { id, view }: Arguments<'saveView'>,
): Result<null, 'not-found'> {
  return changeColumn(store, id, 'view', view === null ? null : JSON.stringify(view));
}

function changeColumn(
  { database }: Store,
  id: number,
  column: 'damage' | 'view',
  value: string | null,
): Result<null, 'not-found'> {
  const { changes } = database
    .prepare(`UPDATE investigation SET ${column} = ? WHERE id = ? AND removed_at IS NULL`)
    .run(value, id);
  return changes === 0 ? notFound(id) : ok(null);
}

/** `null` also for a view of another version of Stalltrace that this one does not understand. */
export function readView({ database }: Store, id: number): Result<SavedView | null, 'not-found'> {
  const row = database
    .prepare<[number], { view: string | null }>(
      'SELECT view FROM investigation WHERE id = ? AND removed_at IS NULL',
    )
    .get(id);
  if (row === undefined) return notFound(id);
  return ok(parseStored(row.view, savedView) ?? null);
}
