import { existsSync } from 'node:fs';
import {
  chmod,
  constants,
  copyFile,
  lstat,
  readdir,
  rm,
  stat,
  utimes,
  writeFile,
} from 'node:fs/promises';
import { isAbsolute, join } from 'node:path';
import type { CallError } from '../../contract/contract.ts';
import { describeThrown, fail, ok, type Result } from '../../shared/rpc/result.ts';
import { makeFolder } from '../../system/make-folder.ts';
import { realPath } from '../../system/real-path.ts';
import { ownFolders } from '../file-store/file-store.ts';
import { CHOSEN_MARK, isThere, LIBRARY_FILE } from '../services/data-folder.ts';
import { createLibraryClient, type LibraryClient } from '../services/library-client.ts';
import type { Services } from '../services/services.ts';

type MoveError = CallError<'settings.moveDataFolder'>;
type Moved = Result<null, MoveError>;

/** Whether `path` can be the data folder: empty or made now, or with a library this version knows. */
export async function checkDataFolder(
  { platform }: Services,
  path: string,
  copy: boolean,
): Promise<Result<string, MoveError>> {
  if (!isAbsolute(path)) return unusable(`${path} is not an absolute path: give the whole path.`);
  const folder = await realPath(path);
  const written = await tryFolder(folder);
  if (!written.ok) return written;
  const names = (await readdir(folder)).filter((name) => name !== CHOSEN_MARK);
  if (!names.includes(LIBRARY_FILE)) {
    const isEmpty = names.length === 0;
    return isEmpty ? ok(folder) : unusable(`${folder} holds other files: choose an empty folder.`);
  }
  if (copy) {
    return unusable(
      `${folder} holds a library already: use it without copying this one, or choose an empty folder.`,
    );
  }
  const other = createLibraryClient(platform, folder);
  const known = await other.call('settings', {});
  await other.close();
  return known.ok ? ok(folder) : unusable(known.error.message, known.error.detail);
}

async function tryFolder(folder: string): Promise<Moved> {
  const trial = join(folder, `.stalltrace-${process.pid}`);
  try {
    await makeFolder(folder);
    await writeFile(trial, '', { flag: 'wx' });
    await rm(trial);
    return ok(null);
  } catch (thrown) {
    return unusable(
      `${folder} can't be written: check its permissions, or choose another folder.`,
      describeThrown(thrown),
    );
  }
}

/**
 * Copies the library and its own copies of traces to `folder`; what is here stays. The list comes
 * last, so that a copy that is cut short is no library. Of one that fails nothing is left.
 */
export async function copyLibrary(
  library: LibraryClient,
  from: string,
  folder: string,
): Promise<Moved> {
  const [files, uploads] = ownFolders(from);
  const [newFiles, newUploads] = ownFolders(folder);
  try {
    await copyHomes(files, newFiles);
    await copyHomes(uploads, newUploads);
  } catch (thrown) {
    await removeCopies(folder);
    return copyFailure(folder, thrown);
  }
  const backedUp = await library.call('backUp', { folder });
  // Another host's library may be there by now, with copies of its own.
  if (!backedUp.ok && !existsSync(join(folder, LIBRARY_FILE))) await removeCopies(folder);
  return backedUp;
}

/** Folders named by a hash, with one file each: what else lies there is nobody's. */
async function copyHomes(source: string, target: string): Promise<void> {
  const homes = await readdir(source).catch(() => []);
  for (const home of homes.filter((name) => /^[0-9a-f]{16}$/.test(name))) {
    for (const name of await readdir(join(source, home))) {
      const path = join(source, home, name);
      if (!(await lstat(path)).isFile()) continue;
      await makeFolder(join(target, home));
      const copy = join(target, home, name);
      // In a folder that only the user enters: it has the mode of the original until then.
      await copyFile(path, copy, constants.COPYFILE_FICLONE);
      await chmod(copy, 0o600);
      await keepTime(path, copy);
    }
  }
}

/**
 * Gives `copy` the time of `path` to the µs, by which the library knows a file it has hashed. A time
 * is set as seconds in floating point, so the neighbours of the right one are tried too.
 */
async function keepTime(path: string, copy: string): Promise<void> {
  const timeUs = await modifiedUs(path);
  for (const offsetUs of [0, 0.25, 0.5, -0.25]) {
    const seconds = (timeUs + offsetUs) / 1e6;
    await utimes(copy, seconds, seconds);
    if ((await modifiedUs(copy)) === timeUs) return;
  }
}

async function modifiedUs(path: string): Promise<number> {
  return Math.round((await stat(path)).mtimeMs * 1000);
}

/** Leaves in a chosen folder what tells it from the empty place where its disk is mounted. */
export async function markChosen(folder: string): Promise<Moved> {
  if (isThere(folder)) return ok(null);
  try {
    await writeFile(join(folder, CHOSEN_MARK), '', { mode: 0o600 });
    return ok(null);
  } catch (thrown) {
    return unusable(
      `${folder} can't be written: check its permissions, or choose another folder.`,
      describeThrown(thrown),
    );
  }
}

async function removeCopies(folder: string): Promise<void> {
  for (const own of ownFolders(folder)) await rm(own, { recursive: true, force: true });
}

function copyFailure(folder: string, thrown: unknown): Moved {
  const code = (thrown as NodeJS.ErrnoException).code;
  if (code === 'ENOSPC' || code === 'EDQUOT') {
    return fail(
      'disk-full',
      `${folder} has no room for the library's copies of traces: free disk space there, or choose another folder.`,
      describeThrown(thrown),
    );
  }
  return unusable(
    `The library's copies of traces could not be copied to ${folder}: check both folders' permissions.`,
    describeThrown(thrown),
  );
}

function unusable(message: string, detail?: string): Result<never, 'folder-unusable'> {
  return fail('folder-unusable', message, detail);
}

/** Whether both lead to one folder, be it one that is made yet. */
export async function isSameFolder(one: string, other: string): Promise<boolean> {
  if ((await realPath(one)) === (await realPath(other))) return true;
  const [a, b] = await Promise.all(
    [one, other].map((path) => stat(path, { bigint: true }).catch(() => undefined)),
  );
  return a !== undefined && b !== undefined && a.dev === b.dev && a.ino === b.ino;
}
