import type { Investigation } from '../shared/library/investigation.ts';
import { searchEntries } from './search/search.ts';
import { ENTRIES, type EntryRow, LAST_USED_FIRST } from './store/entry-rows.ts';
import { type Store, toInvestigations } from './store/store.ts';
import { termsOf } from './store/words.ts';

/** All entries on the list; with terms in `search`, those that hold them all. */
export function listEntries(store: Store, search: string | undefined): Promise<Investigation[]> {
  const terms = [...termsOf(search ?? '')];
  if (terms.length > 0) return searchEntries(store, terms);
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
