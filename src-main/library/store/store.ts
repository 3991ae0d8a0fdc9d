import type Database from 'better-sqlite3';
import type { Investigation } from '../../shared/library/investigation.ts';
import { fail, ok, type Result } from '../../shared/rpc/result.ts';
import { ENTRIES, type EntryRow, toInvestigation } from './entry-rows.ts';
import { factsOfFiles } from './file-facts.ts';
import type { StoredPaths } from './stored-path.ts';

/** The open catalogue, as the modules that read and write it share it. */
export interface Store {
  readonly database: Database.Database;
  readonly paths: StoredPaths;
}

/** Runs `action` in one transaction that no other process can write in. */
export function write<T>({ database }: Store, action: () => T): T {
  return database.transaction(action).immediate();
}

/** The row of an entry that was not removed. */
export function findRow({ database }: Store, id: number): EntryRow | undefined {
  return database
    .prepare<[number], EntryRow>(`${ENTRIES} WHERE id = ? AND removed_at IS NULL`)
    .get(id);
}

/** With the state of each one's file. */
export async function toInvestigations(
  { paths }: Store,
  rows: readonly EntryRow[],
): Promise<Investigation[]> {
  const files = await factsOfFiles(rows.map(({ path }) => paths.toAbsolute(path)));
  return rows.map((row, index) => toInvestigation(row, paths, files[index]));
}

/** Also one that was removed: whoever asks has looked. */
export async function readInvestigation(
  store: Store,
  id: number,
): Promise<Result<Investigation, 'not-found'>> {
  const row = store.database.prepare<[number], EntryRow>(`${ENTRIES} WHERE id = ?`).get(id);
  const [investigation] = await toInvestigations(store, row === undefined ? [] : [row]);
  return investigation === undefined ? notFound(id) : ok(investigation);
}

export function notFound(id: number): Result<never, 'not-found'> {
  return fail('not-found', `Investigation ${id} is no longer in the library: reload the list.`);
}
