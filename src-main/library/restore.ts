import {
  closeSync,
  constants,
  copyFileSync,
  existsSync,
  fsyncSync,
  linkSync,
  lstatSync,
  openSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { fail, ok, type Result } from '../shared/result.ts';
import { backupFolder, backupPath } from './backups.ts';
import { damageInFile } from './find-damage.ts';
import { COMPANIONS } from './own-files.ts';
import { isDiskFull, storageCode, type Unavailable, unavailable } from './unavailable.ts';

/**
 * A backup takes the place of the catalogue in two steps, so that a kill at any moment leaves the one or
 * the other: it is written whole beside it (`.restoring`), then the old log goes and the name changes.
 * Whoever opens the catalogue finishes what was begun.
 */
const BEGUN = '.restoring';
/** The second step takes milliseconds: a younger one is another process's to finish. */
const ABANDONED_MS = 1_000;
const LOOK_AGAIN_MS = 5;

type RestoreError = 'not-found' | 'disk-full' | Unavailable;

/** Puts the backup `name` in the place of the catalogue, which nobody here has open. */
export function restoreFile(path: string, name: string): Result<{ keptAs?: string }, RestoreError> {
  const source = backupPath(dirname(path), name);
  if (!existsSync(source)) {
    return fail('not-found', `There is no backup ${name}: reload the list and choose another.`);
  }
  try {
    const damage = damageInFile(source);
    if (damage !== undefined) {
      const message = `The backup ${source} is damaged too: restore an older one.`;
      return fail('library-unavailable', message, damage);
    }
    const target = targetOf(path);
    const keptAs = setAside(target, backupFolder(dirname(path)));
    writeWhole(readFileSync(source), target + BEGUN);
    takePlace(target);
    return ok(keptAs === undefined ? {} : { keptAs });
  } catch (thrown) {
    const code = storageCode(thrown);
    if (code !== undefined && isDiskFull(code)) {
      return fail(
        'disk-full',
        `The disk that holds ${path} has no room for the backup: free some space and try again.`,
      );
    }
    return unavailable(path, thrown);
  }
}

/** The file itself, where the catalogue's name is a link. */
function targetOf(path: string): string {
  return existsSync(path) ? realpathSync(path) : path;
}

/** `path` appears with all bytes, on the disk, or not at all. */
function writeWhole(bytes: Buffer, path: string): void {
  const part = `${path}-${process.pid}.part`;
  const { O_RDWR, O_CREAT, O_EXCL } = constants;
  try {
    rmSync(part, { force: true });
    const file = openSync(part, O_RDWR | O_CREAT | O_EXCL, 0o600);
    try {
      writeFileSync(file, bytes);
      fsyncSync(file);
    } finally {
      closeSync(file);
    }
    renameSync(part, path);
  } finally {
    rmSync(part, { force: true });
  }
}

/** Keeps what is there, its log included, under another name: it may hold what no backup has. */
function setAside(path: string, folder: string): string | undefined {
  if (!existsSync(path)) return undefined;
  const when = new Date().toISOString().slice(0, 23).replaceAll(/[:.]/g, '-');
  const kept = join(folder, `replaced-${when}Z-${basename(path)}`);
  for (const suffix of ['', '-wal']) {
    if (existsSync(path + suffix)) linkOrCopy(path + suffix, kept + suffix);
  }
  return kept;
}

function linkOrCopy(from: string, to: string): void {
  try {
    linkSync(from, to);
  } catch {
    // FAT and some network drives have no links.
    copyFileSync(from, to, constants.COPYFILE_EXCL);
  }
}

function takePlace(path: string): void {
  for (const suffix of COMPANIONS) rmSync(path + suffix, { force: true });
  renameSync(path + BEGUN, path);
}

/** Ends a restore whose process was killed. Throws where the file system refuses. */
export function finishRestore(path: string, patienceMs: number): void {
  const target = targetOf(path);
  const begun = target + BEGUN;
  const giveUpAtMs = performance.now() + patienceMs;
  for (;;) {
    const found = lstatSync(begun, { throwIfNoEntry: false });
    if (found === undefined || !found.isFile()) return;
    // In a folder that others may write, only what this user wrote.
    if (process.getuid !== undefined && found.uid !== process.getuid()) return;
    if (Date.now() - found.ctimeMs > ABANDONED_MS) break;
    if (performance.now() > giveUpAtMs) return;
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, LOOK_AGAIN_MS);
  }
  takePlace(target);
}
