import type { Investigation } from '../../shared/library/investigation.ts';
import type { CallContext } from '../../shared/rpc/rpc.ts';
import type { Services } from '../services/services.ts';

export interface Sought {
  readonly path: string;
  readonly sizeBytes: number;
  /** Hashed where it is missing, and another file has its size. */
  readonly sha256?: string;
}

/**
 * The entry that holds the same bytes as a file elsewhere, listed again where it had been removed;
 * one whose file is in its place comes first. `undefined` also where the library can't tell: then
 * adding says what is wrong with it.
 */
export async function findSameBytes(
  { library }: Services,
  sought: Sought,
  context: Pick<CallContext, 'signal'>,
): Promise<Investigation | undefined> {
  const found = await library.call('ofSize', { sizeBytes: sought.sizeBytes });
  if (!found.ok || found.value.length === 0) return undefined;
  // Adding its path again brings an entry up to date.
  if (found.value.some((entry) => entry.path === sought.path)) return undefined;
  const inPlaceFirst = [...found.value].sort(
    (a, b) => Number(b.state === 'ok') - Number(a.state === 'ok'),
  );
  const same = await idsWithBytes(library, inPlaceFirst, sought, context);
  for (const call of ['find', 'restore'] as const) {
    for (const id of same) {
      const entry = await library.call(call, { id });
      if (entry.ok) return entry.value;
    }
  }
  return undefined;
}

/** Which of `entries`, all of the size that is sought, hold its bytes. */
export async function idsWithBytes(
  library: Services['library'],
  entries: readonly Investigation[],
  { path, sha256 }: Sought,
  { signal }: Pick<CallContext, 'signal'>,
): Promise<number[]> {
  if (entries.length === 0) return [];
  const sought = sha256 ?? (await hashOf(library, path, signal));
  if (sought === undefined) return [];
  const same: number[] = [];
  for (const entry of entries) {
    if ((entry.sha256 ?? (await hashOf(library, entry.path, signal))) === sought)
      same.push(entry.id);
  }
  return same;
}

async function hashOf(
  library: Services['library'],
  path: string,
  signal: AbortSignal,
): Promise<string | undefined> {
  const hashed = await library.call('hashFile', { path }, { signal });
  return hashed.ok ? hashed.value : undefined;
}
