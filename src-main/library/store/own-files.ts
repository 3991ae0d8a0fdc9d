import {
  closeSync,
  constants,
  fchmodSync,
  fstatSync,
  lstatSync,
  openSync,
  type Stats,
  statSync,
} from 'node:fs';
import { dirname } from 'node:path';
import { ok, type Result } from '../../shared/rpc/result.ts';
import { closeFolders } from '../../system/own-folders.ts';
import { notOurs, type Unavailable } from './unavailable.ts';

/** What SQLite keeps beside a database. */
export const COMPANIONS = ['-wal', '-shm', '-journal'] as const;

/** What Stalltrace makes in its data folder: closed to others, and with that all that is in them. */
const OWN_FOLDERS = [
  'backups',
  'desktop',
  'files',
  'logs',
  'remote',
  'scratch',
  'uploads',
] as const;
const OTHERS = 0o077;

/**
 * Before SQLite opens the catalogue: a new one is for the user's eyes alone from its first moment, an
 * old one from now on. SQLite gives the companions it makes the mode of the main file. In a folder
 * that others may write, a file of theirs is not used, and no link but the user's own is followed.
 * Throws where the file system refuses.
 */
export function secureCatalogue(path: string): Result<null, Unavailable> {
  // Windows: who may read a file is inherited from its folder, and the user's own are the user's alone.
  if (process.getuid === undefined) return ok(null);
  createPrivate(path);
  const folder = statSync(dirname(path));
  const link = lstatSync(path);
  if (link.isSymbolicLink() && link.uid !== process.getuid()) return notOurs(path);
  for (const file of [path, ...COMPANIONS.map((suffix) => path + suffix)]) {
    const status = file === path ? statSync(path) : lstatSync(file, { throwIfNoEntry: false });
    if (status === undefined) continue;
    // A folder in the way is the user's own: that is another sentence.
    if (status.isDirectory()) closeSync(openSync(file, 'r+'));
    if (!status.isFile() || !isTrusted(status, folder)) return notOurs(file);
    closeToOthers(file, status);
  }
  closeFolders(dirname(path), OWN_FOLDERS);
  return ok(null);
}

/** Whoever owns the folder decides on all that is in it, and root may do anything anyway. */
function isTrusted({ uid }: Stats, folder: Stats): boolean {
  return uid === process.getuid?.() || uid === folder.uid || uid === 0;
}

/** Does nothing where something is there, be it a link that leads nowhere. */
function createPrivate(path: string): void {
  try {
    closeSync(openSync(path, constants.O_RDWR | constants.O_CREAT | constants.O_EXCL, 0o600));
  } catch (thrown) {
    if ((thrown as NodeJS.ErrnoException).code !== 'EEXIST') throw thrown;
  }
}

/** Through a descriptor: the name may lead elsewhere by now. */
function closeToOthers(path: string, { ino, dev, mode, uid }: Stats): void {
  if ((mode & OTHERS) === 0 || uid !== process.getuid?.()) return;
  const { O_RDONLY, O_NONBLOCK } = constants;
  const descriptor = openSync(path, O_RDONLY | O_NONBLOCK);
  try {
    const now = fstatSync(descriptor);
    if (now.ino === ino && now.dev === dev && now.isFile()) fchmodSync(descriptor, mode & ~OTHERS);
  } catch (thrown) {
    // On a disk that is read-only its owner has decided.
    if ((thrown as NodeJS.ErrnoException).code !== 'EROFS') throw thrown;
  } finally {
    closeSync(descriptor);
  }
}
