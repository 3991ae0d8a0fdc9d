import { MAX_SAVED_QUERIES, type SavedQuery } from '../shared/library/saved-query.ts';
import { fail, ok, type Result } from '../shared/rpc/result.ts';
import { formatCount } from '../shared/text/units.ts';
import { type Store, write } from './store/store.ts';

/** The statements that are kept, by name. */
export function listQueries({ database }: Store): SavedQuery[] {
  return database
    .prepare<[], SavedQuery>(
      'SELECT name, text FROM saved_query ORDER BY name COLLATE NOCASE, name',
    )
    .all();
}

/** Keeps a statement, in place of the one of that name. */
export function putQuery(store: Store, query: SavedQuery): Result<SavedQuery, 'too-many-queries'> {
  return write(store, () => {
    const { database } = store;
    const others = database
      .prepare<[string], { count: number }>(
        'SELECT count(*) AS count FROM saved_query WHERE name <> ?',
      )
      .get(query.name);
    if ((others?.count ?? 0) >= MAX_SAVED_QUERIES) {
      const most = formatCount(MAX_SAVED_QUERIES);
      return fail('too-many-queries', `At most ${most} statements are kept: remove some first.`);
    }
    const kept = { name: query.name, text: query.text.toWellFormed() };
    database
      .prepare(
        'INSERT INTO saved_query (name, text) VALUES (?, ?) ON CONFLICT (name) DO UPDATE SET text = excluded.text',
      )
      .run(kept.name, kept.text);
    return ok(kept);
  });
}

/** One that is gone already is no failure: two windows may remove the same one. */
export function removeQuery(store: Store, name: string): Result<null, never> {
  return write(store, () => {
    store.database.prepare('DELETE FROM saved_query WHERE name = ?').run(name);
    return ok(null);
  });
}
