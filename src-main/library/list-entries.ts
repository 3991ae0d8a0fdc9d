import type { Investigation } from '../shared/investigation.ts';
import { ENTRIES, type EntryRow, LAST_USED_FIRST } from './entry-rows.ts';
import { searchEntries } from './search.ts';
import { type Store, toInvestigations } from './store.ts';
import { wordsOf } from './words.ts';

/** All entries on the list; with words in `search`, those that hold them all. */
export function listEntries(store: Store, search: string | undefined): Promise<Investigation[]> {
  const words = [...wordsOf(search ?? '')];
  if (words.length > 0) return searchEntries(store, words);
  const list = `${ENTRIES} WHERE removed_at IS NULL ${LAST_USED_FIRST}`;
  return toInvestigations(store, store.database.prepare<[], EntryRow>(list).all());
}

/** Entries whose file has, or had when it was hashed, this size; also removed ones. */
export function entriesOfSize(store: Store, sizeBytes: number): Promise<Investigation[]> {
  const rows = store.database
    .prepare<[number, number], EntryRow>(
      `${ENTRIES} WHERE size_bytes = ? OR hashed_size = ? ORDER BY removed_at IS NOT NULL, id`,
    )
    .all(sizeBytes, sizeBytes);
  return toInvestigations(store, rows);
}
