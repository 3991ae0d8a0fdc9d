import { lstat, readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { removeStaleCopies } from '../../trace/sqlite/copy-owner.ts';
import { type FileStore, type IsKnown, wasNeverListed } from './file-store.ts';
import { UNLISTED } from './safe-name.ts';

/** Longer than an import in another host takes. */
export const SPARED_MS = 10 * 60_000;
/** Parts of versions that did not say in a part's name whose it is. */
const PART_SPARED_MS = 24 * 3_600_000;

export interface SweptLibrary {
  /**
   * The paths of all entries, and when each was added; `undefined` unless the library is whole and can be
   * written: what is read of one that is damaged may lack rows.
   */
  list(): Promise<readonly { readonly path: string; readonly addedAt: string }[] | undefined>;
  readonly isKnown: IsKnown;
  /** Moves the copy of an entry that was removed to the trash. */
  dispose(path: string): Promise<void>;
  /** Lists a copy that was listed once and is on no list now. What can't be listed stays where it is. */
  adopt(path: string): Promise<void>;
}

/**
 * Deletes what crashes and lost imports left in the store, and trashes what was removed. A whole copy
 * that was listed once and is no more is listed again: the list may be an older backup.
 */
export async function sweepFiles(store: FileStore, library: SweptLibrary): Promise<void> {
  for (const root of await store.roots()) await sweepFolder(root, store, library);
}

async function sweepFolder(root: string, store: FileStore, library: SweptLibrary): Promise<void> {
  removeStaleCopies(root);
  const names = await readdir(root);
  for (const name of names.filter((entry) => entry.endsWith('.part'))) {
    const part = join(root, name);
    if (await isOlder(part, PART_SPARED_MS)) await rm(part, { recursive: true, force: true });
  }
  const homes = names.filter((name) => /^[0-9a-f]{16}$/.test(name));
  const listed = homes.length === 0 ? undefined : await library.list();
  if (listed === undefined) return;
  // A library that was started anew knows nothing of the copies of the one before it.
  const sinceMs = Math.min(...listed.map(({ addedAt }) => Date.parse(addedAt)));
  const known = await pathsOf(store, listed);
  for (const home of homes.map((name) => join(root, name))) {
    await store.exclusively(() => sweepHome(home, { store, library, known, sinceMs }));
  }
}

async function sweepHome(
  home: string,
  { store, library, known, sinceMs }: SweepContext,
): Promise<void> {
  const names = await readdir(home);
  const files = names.filter((name) => name !== UNLISTED).map((name) => join(home, name));
  if (files.some((path) => store.isInUse(path))) return;
  // A host may have been killed before it took the mark away.
  if (files.some((path) => known.has(path))) return rm(join(home, UNLISTED), { force: true });
  if (!(await isOlder(home, SPARED_MS))) return;
  if (files.length === 0) return rm(home, { recursive: true, force: true });
  // Other folders may have taken minutes: the user may have put the entry back meanwhile.
  const listed = await library.list();
  if (listed === undefined) return;
  const knownNow = await pathsOf(store, listed);
  if (files.some((path) => knownNow.has(path))) return;
  const facts = await Promise.all(files.map(async (path) => ({ path, ...(await factsOf(path)) })));
  for (const { path, sizeBytes } of facts) {
    // Its entry was removed, and whoever took care of the file did not get to it.
    const isKnown = await library.isKnown(path, sizeBytes);
    if (isKnown === undefined) return;
    if (isKnown) return library.dispose(path);
  }
  if (await wasNeverListed(home)) return rm(home, { recursive: true, force: true });
  // Beside it there may be what other programs leave.
  const [copy] = facts.sort((a, b) => b.sizeBytes - a.sizeBytes);
  if (copy !== undefined && copy.writtenMs > sinceMs) await library.adopt(copy.path);
}

async function pathsOf(
  store: FileStore,
  listed: readonly { readonly path: string }[],
): Promise<ReadonlySet<string>> {
  return new Set(await Promise.all(listed.map(({ path }) => store.resolved(path))));
}

interface SweepContext {
  readonly store: FileStore;
  readonly library: SweptLibrary;
  readonly known: ReadonlySet<string>;
  readonly sinceMs: number;
}

async function factsOf(path: string): Promise<{ sizeBytes: number; writtenMs: number }> {
  const { size, mtimeMs } = await lstat(path);
  return { sizeBytes: size, writtenMs: mtimeMs };
}

async function isOlder(path: string, ageMs: number): Promise<boolean> {
  return Date.now() - (await lstat(path)).mtimeMs > ageMs;
}
