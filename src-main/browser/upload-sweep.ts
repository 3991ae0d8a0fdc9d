import { lstat, readdir, realpath, rm } from 'node:fs/promises';
import { join } from 'node:path';

/** Longer than an undo is offered, and than an import in another host takes. */
export const SPARED_MS = 10 * 60_000;
const PART_SPARED_MS = 24 * 3_600_000;

/** What the library lists, or `undefined` where it can't be asked. */
export type Library = () => Promise<
  readonly { readonly path: string; readonly addedAt: string }[] | undefined
>;

/** Deletes from `folder` the parts of a day ago and the copies that `library` doesn't list. */
export async function removeUnlisted(
  folder: string,
  library: Library,
  isInUse: (path: string) => boolean,
): Promise<void> {
  const root = await realpath(folder).catch(() => undefined);
  if (root === undefined) return;
  const names = await readdir(root);
  for (const name of names.filter((entry) => entry.endsWith('.part'))) {
    // No upload that still runs began so long ago: the folder's time is when its file was created.
    await removeIfOld(join(root, name), PART_SPARED_MS);
  }
  const homes = names.filter((name) => /^[0-9a-f]{16}$/.test(name));
  const listed = homes.length === 0 ? undefined : await library();
  if (listed === undefined) return;
  // A library that was started anew knows nothing of the copies of the one before it.
  const since = Math.min(...listed.map(({ addedAt }) => Date.parse(addedAt)));
  const known = new Set(listed.map(({ path }) => path));
  for (const home of homes.map((name) => join(root, name))) {
    const files = (await readdir(home)).map((name) => join(home, name));
    if (files.some((path) => isInUse(path) || known.has(path))) continue;
    const writtenMs = await Promise.all(files.map(async (path) => (await lstat(path)).mtimeMs));
    if (writtenMs.every((ms) => ms > since)) await removeIfOld(home, SPARED_MS);
  }
}

async function removeIfOld(path: string, sparedMs: number): Promise<void> {
  const { mtimeMs } = await lstat(path);
  if (Date.now() - mtimeMs > sparedMs) await rm(path, { recursive: true, force: true });
}
