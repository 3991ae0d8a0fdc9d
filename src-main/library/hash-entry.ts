import { ok, type Result } from '../shared/rpc/result.ts';
import type { CallContext } from '../shared/rpc/rpc.ts';
import { type FileHash, hashFile, stillWritten } from './hash-file.ts';
import type { Library } from './library.ts';
import { notFound, type Store } from './store/store.ts';
import type { Unavailable } from './store/unavailable.ts';

type HashEntryError = Unavailable | 'not-found' | 'file-missing' | 'file-unreadable' | 'cancelled';

/**
 * Hashes the entry's file and keeps the hash; the catalogue is not held while the file is read. Also
 * a removed entry, which may have the same bytes as a new file.
 */
export async function hashEntry(
  library: Library,
  id: number,
  context: Pick<CallContext, 'signal' | 'progress'>,
): Promise<Result<null, HashEntryError>> {
  const path = await library.use((store) => pathOf(store, id));
  if (!path.ok) return path;
  const hash = await hashFile(path.value, context);
  if (!hash.ok) return hash;
  return library.use((store) => recordHash(store, id, path.value, hash.value));
}

function pathOf({ database, paths }: Store, id: number): Result<string, 'not-found'> {
  const stored = database
    .prepare<[number], string>('SELECT path FROM investigation WHERE id = ?')
    .pluck()
    .get(id);
  return stored === undefined ? notFound(id) : ok(paths.toAbsolute(stored));
}

/** Nothing where the entry got another file meanwhile. */
function recordHash(
  { database, paths }: Store,
  id: number,
  path: string,
  { sha256, facts }: FileHash,
): Result<null, 'file-unreadable'> {
  const { changes } = database
    .prepare(
      `UPDATE investigation SET sha256 = ?, hashed_size = ?, hashed_mtime_us = ?, size_bytes = ?
       WHERE id = ? AND path IN (?, ?)`,
    )
    .run(
      sha256,
      facts.sizeBytes,
      facts.modifiedUs,
      facts.sizeBytes,
      id,
      path,
      paths.toStored(path, 'copied'),
    );
  return changes === 0 ? stillWritten(path) : ok(null);
}
