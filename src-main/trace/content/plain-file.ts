import { lstatSync, realpathSync, statSync } from 'node:fs';
import { basename } from 'node:path';
import { fail, ok, type Result } from '../../shared/rpc/result.ts';
import type { TraceFileError } from '../../shared/rpc/trace-file-errors.ts';
import { cleanText } from '../../shared/text/text.ts';
import { readHeadNow } from '../../system/read-head.ts';
import { fileFailure } from './file-failure.ts';

/** A file on the disk, before anything is made of its content. */
export interface PlainFile {
  /** Symbolic links resolved. */
  readonly path: string;
  /** For messages: without folders and invisible characters. */
  readonly name: string;
  readonly sizeBytes: number;
  /** Its first bytes, at most HEAD_BYTES: by them a format is known. */
  readonly head: Buffer;
}

/** Enough for the keys that begin a JSON file, behind what it says of eight GPUs. */
export const HEAD_BYTES = 2 ** 16;
const LFS_POINTER = 'version https://git-lfs';

/**
 * Finds the file at `path` and reads its begin. Changes nothing, never blocks. `fileName`: what its user
 * calls it, where it lies under another name.
 */
export function findPlainFile(
  path: string,
  fileName = basename(path),
): Result<PlainFile, TraceFileError> {
  const name = cleanText(fileName, 120);
  try {
    // The pipe of a process substitution, /dev/fd/63, resolves to no path at all.
    if (!statSync(path).isFile()) return noFile(name);
    const resolved = realpathSync(path);
    const found = readHeadNow(resolved, HEAD_BYTES);
    if (found === undefined) return noFile(name);
    if (found.sizeBytes === 0)
      return fail(
        'file-empty',
        `“${name}” is empty, as its recorder wrote nothing or a copy failed: copy it again, or record again.`,
      );
    if (found.bytes.toString('latin1', 0, LFS_POINTER.length) === LFS_POINTER) {
      const message = `“${name}” is only a Git LFS pointer: run \`git lfs pull\` where it came from.`;
      return fail('file-lfs-pointer', message);
    }
    return ok({ path: resolved, name, sizeBytes: found.sizeBytes, head: found.bytes });
  } catch (thrown) {
    return fileFailure(thrown, name, path);
  }
}

function noFile(name: string): Result<never, TraceFileError> {
  const message = `“${name}” is not a file: a trace must be a file on disk, not a folder, pipe or device.`;
  return fail('file-not-a-trace', message);
}

/** Changes when the file does; `undefined` once it is gone, which does not disturb who has it open. */
export function stampOf(path: string): string | undefined {
  const stat = lstatSync(path, { bigint: true, throwIfNoEntry: false });
  return stat && `${stat.ino} ${stat.size} ${stat.mtimeNs}`;
}
