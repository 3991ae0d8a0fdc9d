import { constants } from 'node:fs';
import { lstat, open, readdir, rm, rmdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parseJson } from '../shared/text/parse-json.ts';
import {
  hasEnded,
  type ProcessIdentity,
  processIdentity,
  processIdentityOf,
} from './process-identity.ts';

/**
 * Folders for local sockets are removed by the host that made them, but one that was killed can't. So each
 * says in a file who made it: its name has no room for that, as a socket's path must be short.
 */
const OWNER_FILE = 'owner.json';
const MAX_OWNER_BYTES = 1000;
/** Between the making of a folder and that of the file in it no host needs longer. */
const EMPTY_FOR_MS = 86_400_000;

/** Says in `folder`, which is new, that this process made it. */
export async function signFolder(folder: string): Promise<void> {
  const text = JSON.stringify(processIdentityOf());
  await writeFile(join(folder, OWNER_FILE), text, { flag: 'wx', mode: 0o600 });
}

/**
 * Removes folders in `base` whose names begin with `prefix`, as mkdtemp makes them, that hosts of this
 * user left when they were killed. Others may put anything there: what is a link, is somebody else's, may
 * be entered by others, or is not signed, stays.
 */
export async function removeLeftFolders(base: string, prefix: string): Promise<void> {
  const names = await readdir(base).catch(() => []);
  const made = names.filter((name) => name.startsWith(prefix) && name.length === prefix.length + 6);
  for (const name of made) {
    const path = join(base, name);
    // One that can't be looked at or removed is in nobody's way.
    await removeLeft(path).catch(() => undefined);
  }
}

async function removeLeft(path: string): Promise<void> {
  const folder = await lstat(path);
  const isOwn = folder.uid === process.getuid?.() && (folder.mode & 0o077) === 0;
  if (!folder.isDirectory() || !isOwn) return;
  const owner = await readOwner(path);
  if (owner !== undefined) {
    if (hasEnded(owner)) await rm(path, { recursive: true, force: true });
    return;
  }
  // Its host was killed before it signed; rmdir removes nothing but an empty folder.
  if (Date.now() - folder.mtimeMs > EMPTY_FOR_MS) await rmdir(path);
}

async function readOwner(folder: string): Promise<ProcessIdentity | undefined> {
  const { O_RDONLY, O_NONBLOCK = 0, O_NOFOLLOW = 0 } = constants;
  const flags = O_RDONLY | O_NONBLOCK | O_NOFOLLOW;
  const file = await open(join(folder, OWNER_FILE), flags).catch(() => undefined);
  if (file === undefined) return undefined;
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(MAX_OWNER_BYTES));
    const parsed = processIdentity.safeParse(parseJson(buffer.toString('utf8', 0, bytesRead)));
    return parsed.data;
  } catch {
    return undefined;
  } finally {
    await file.close();
  }
}
