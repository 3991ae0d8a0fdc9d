import {
  closeSync,
  constants,
  existsSync,
  fsyncSync,
  openSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { describeThrown, fail, ok, type Result } from '../../shared/rpc/result.ts';
import { damageInFile } from '../store/find-damage.ts';
import { isDiskFull, storageCode, type Unavailable, unavailable } from '../store/unavailable.ts';
import { backupPath } from './backups.ts';
import { begunPath, takePlace } from './begun-restore.ts';

type RestoreError = 'not-found' | 'disk-full' | Unavailable;

/** Puts the backup `name` in the place of the catalogue, which nobody here has open. */
export function restoreFile(
  path: string,
  dataFolder: string,
  name: string,
): Result<{ keptAs?: string }, RestoreError> {
  const source = backupPath(dataFolder, name);
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
    writeWhole(readFileSync(source), begunPath(target));
    const aside = takePlace(target, dataFolder);
    return ok(aside === undefined ? {} : { keptAs: aside.path });
  } catch (thrown) {
    return refusal(path, thrown);
  }
}

function refusal(path: string, thrown: unknown): Result<never, RestoreError> {
  const code = storageCode(thrown) ?? '';
  if (isDiskFull(code)) {
    return fail(
      'disk-full',
      `The disk that holds ${path} has no room for the backup: free some space and try again.`,
    );
  }
  // Windows removes no file that is open.
  if (code === 'EBUSY' || (process.platform === 'win32' && /^(EPERM|EACCES)$/.test(code))) {
    const message = `Another Stalltrace has the library ${path} open: close it and try again.`;
    return fail('library-unavailable', message, describeThrown(thrown));
  }
  return unavailable(path, thrown);
}

/** The file itself, where the catalogue's name is a link. */
export function targetOf(path: string): string {
  return existsSync(path) ? realpathSync(path) : path;
}

/** `path` appears with all bytes, on the disk, or not at all. */
function writeWhole(bytes: Buffer, path: string): void {
  const part = `${path}.part`;
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
