import { randomUUID } from 'node:crypto';
import { link, open, rename, rm, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { WrittenFile } from '../shared/contract/archive-calls.ts';
import { describeThrown, fail, ok, type Result } from '../shared/rpc/result.ts';
import { errnoOf } from './errno.ts';
import { flushFolder } from './flush-folder.ts';
import { realPath } from './real-path.ts';

type WriteError = 'file-exists' | 'file-unwritable' | 'disk-full';

/** Takes the next bytes of a file; what goes wrong with that is writeNewFile's to report. */
export type Write = (bytes: Uint8Array | string) => Promise<void>;

class WriteFailed extends Error {
  readonly thrown: unknown;
  constructor(thrown: unknown) {
    super('a write failed');
    this.thrown = thrown;
  }
}

/**
 * Writes the file `path` with what `fill` hands over, all of it or nothing: under another name
 * first, flushed to the disk, then renamed. A file that is there is only replaced with `overwrite`.
 */
export async function writeNewFile<Code extends string>(
  path: string,
  overwrite: boolean,
  fill: (write: Write) => Promise<Result<null, Code>>,
): Promise<Result<WrittenFile, Code | WriteError>> {
  const target = await realPath(path);
  const free = await checkTarget(target, overwrite);
  if (!free.ok) return free;
  const part = join(dirname(target), `.stalltrace-${randomUUID()}.part`);
  let sizeBytes = 0;
  try {
    const file = await open(part, 'wx', 0o666);
    try {
      const filled = await fill(async (bytes) => {
        await file.writeFile(bytes).catch((thrown: unknown) => {
          throw new WriteFailed(thrown);
        });
      });
      if (!filled.ok) return filled;
      await file.sync();
      sizeBytes = (await file.stat()).size;
    } finally {
      await file.close();
    }
    return (await place(part, target, overwrite))
      ? ok({ path: target, sizeBytes })
      : exists(target);
  } catch (thrown) {
    return writeFailure(thrown instanceof WriteFailed ? thrown.thrown : thrown, target);
  } finally {
    // In a folder that may not be entered this fails as well: what is told is why the part could not be made.
    await rm(part, { force: true }).catch(() => undefined);
  }
}

/** Before anything is done: whether `path` may be written. */
export async function checkTarget(
  path: string,
  overwrite: boolean,
): Promise<Result<null, WriteError>> {
  const found = await stat(path).catch(() => undefined);
  if (found === undefined) return ok(null);
  if (!found.isFile()) {
    const message = `${path} is no plain file, so nothing can be written there: choose another name.`;
    return fail('file-unwritable', message);
  }
  return overwrite ? ok(null) : exists(path);
}

function exists(path: string): Result<never, 'file-exists'> {
  return fail('file-exists', `${path} exists already: choose another name, or replace it.`);
}

/** Gives the part its name; false where somebody else has taken it meanwhile and must not lose it. */
async function place(part: string, target: string, overwrite: boolean): Promise<boolean> {
  if (overwrite) await rename(part, target);
  else if (!(await linkNew(part, target))) return false;
  await flushFolder(dirname(target));
  return true;
}

async function linkNew(part: string, target: string): Promise<boolean> {
  try {
    await link(part, target);
    return true;
  } catch (thrown) {
    if (errnoOf(thrown) === 'EEXIST') return false;
    // FAT and some network drives have no links.
    if ((await stat(target).catch(() => undefined)) !== undefined) return false;
    await rename(part, target);
    return true;
  }
}

function writeFailure(thrown: unknown, path: string): Result<never, WriteError> {
  const detail = describeThrown(thrown);
  switch (errnoOf(thrown)) {
    case 'ENOSPC':
    case 'EDQUOT':
      return fail(
        'disk-full',
        `There is no room for ${path}: free disk space or choose another disk.`,
        detail,
      );
    case 'ENOENT':
    case 'ENOTDIR':
      return fail(
        'file-unwritable',
        `The folder of ${path} is not there: create it, or choose another.`,
        detail,
      );
    case 'EACCES':
    case 'EPERM':
    case 'EROFS':
      return fail(
        'file-unwritable',
        `You may not write ${path}: choose another folder, or change its permissions.`,
        detail,
      );
    case '':
      throw thrown;
    default:
      return fail(
        'file-unwritable',
        `${path} cannot be written: check its name and the disk it is on.`,
        detail,
      );
  }
}
