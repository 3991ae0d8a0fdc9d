import { type SetRole, setRoles } from '../shared/library/set-role.ts';
import { ok, type Result } from '../shared/rpc/result.ts';
import { findRow, notFound, type Store, write } from './store/store.ts';
import { parseStored } from './store/stored-json.ts';

/** What the user said the processes of an entry's trace are. */
export function readRoles(
  { database }: Store,
  id: number,
): Result<readonly SetRole[], 'not-found'> {
  const row = database
    .prepare<[number], { roles: string }>(
      'SELECT roles FROM investigation WHERE id = ? AND removed_at IS NULL',
    )
    .get(id);
  return row === undefined ? notFound(id) : ok(parseStored(row.roles, setRoles) ?? []);
}

/** All of them, in place of those before. */
export function saveRoles(
  store: Store,
  { id, roles }: { readonly id: number; readonly roles: readonly SetRole[] },
): Result<null, 'not-found'> {
  return write(store, () => {
    if (findRow(store, id) === undefined) return notFound(id);
    store.database
      .prepare('UPDATE investigation SET roles = ? WHERE id = ?')
      .run(JSON.stringify(roles), id);
    return ok(null);
  });
}
