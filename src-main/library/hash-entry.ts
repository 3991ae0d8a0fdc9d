import { ok, type Result } from '../shared/result.ts';
import type { CallContext } from '../shared/rpc.ts';
import { hashFile, stillWritten } from './hash-file.ts';
import { notFound, type Store } from './store.ts';

type HashEntryError = 'not-found' | 'file-missing' | 'file-unreadable' | 'cancelled';

/** Also a removed entry: whether a new file is the same one is asked of these as well. */
export async function hashEntry(
  { database, paths }: Store,
  id: number,
  context: Pick<CallContext, 'signal' | 'progress'>,
): Promise<Result<number, HashEntryError>> {
  const stored = database
    .prepare<[number], string>('SELECT path FROM investigation WHERE id = ?')
    .pluck()
    .get(id);
  if (stored === undefined) return notFound(id);
  const path = paths.toAbsolute(stored);
  const hashed = await hashFile(path, context);
  if (!hashed.ok) return hashed;
  const { sha256, facts } = hashed.value;
  const { changes } = database
    .prepare(
      `UPDATE investigation SET sha256 = ?, hashed_size = ?, hashed_mtime_us = ?, size_bytes = ?
       WHERE id = ? AND path = ?`,
    )
    .run(sha256, facts.sizeBytes, facts.modifiedUs, facts.sizeBytes, id, stored);
  // Another file took its place while this one was read.
  return changes === 0 ? stillWritten(path) : ok(id);
}
