import { existsSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { describeThrown, fail, ok, type Result } from '../../shared/rpc/result.ts';
import { makeFolderNow } from '../../system/make-folder.ts';
import type { Store } from '../store/store.ts';
import { isDiskFull, isRefused, storageCode } from '../store/unavailable.ts';

const PAGES_A_STEP = 500;

/** A consistent copy, complete or not there at all; other calls are answered while it is made. */
export async function backUp(
  { database }: Store,
  folder: string,
): Promise<Result<null, 'folder-unusable' | 'disk-full'>> {
  const target = join(folder, 'library.db');
  const part = join(folder, `library.db.part-${process.pid}`);
  if (existsSync(target)) return taken(folder);
  try {
    makeFolderNow(folder);
    await database.backup(part, { progress: () => PAGES_A_STEP });
    if (existsSync(target)) return taken(folder);
    renameSync(part, target);
    return ok(null);
  } catch (thrown) {
    const code = storageCode(thrown);
    if (code !== undefined && isDiskFull(code)) return full(folder, thrown);
    if (code !== undefined && isRefused(code)) return unwritable(folder, thrown);
    throw thrown;
  } finally {
    if (existsSync(part)) rmSync(part);
  }
}

function taken(folder: string): Result<never, 'folder-unusable'> {
  return fail('folder-unusable', `There is a library in ${folder} already: choose another folder.`);
}

function unwritable(folder: string, thrown: unknown): Result<never, 'folder-unusable'> {
  return fail(
    'folder-unusable',
    `The folder ${folder} can't be written: check its permissions, or choose another folder.`,
    describeThrown(thrown),
  );
}

function full(folder: string, thrown: unknown): Result<never, 'disk-full'> {
  return fail(
    'disk-full',
    `The disk that holds ${folder} is full: free some space, or choose another folder.`,
    describeThrown(thrown),
  );
}
