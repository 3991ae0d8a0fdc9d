import { createHash } from 'node:crypto';
import { constants } from 'node:fs';
import { type FileHandle, open, stat } from 'node:fs/promises';
import { fail, ok, type Result } from '../shared/rpc/result.ts';
import type { CallContext } from '../shared/rpc/rpc.ts';
import { type FileFacts, toFacts } from './store/file-facts.ts';

/** 1 MiB takes about a millisecond: other calls are answered between two slices. */
const SLICE_BYTES = 1024 * 1024;
const PROGRESS_MS = 200;

type HashError = 'file-missing' | 'file-unreadable' | 'cancelled';

/** SHA-256 in hex, and the file it belongs to. */
export interface FileHash {
  readonly sha256: string;
  readonly facts: FileFacts;
}

/** Reads the file once; fails where it changes meanwhile, since the hash would be of no state it ever had. */
export async function hashFile(
  path: string,
  context: Pick<CallContext, 'signal' | 'progress'>,
): Promise<Result<FileHash, HashError>> {
  try {
    // Opening a named pipe would wait for its writer, and it may have taken a file's place just now.
    await using file = await open(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
    const found = await file.stat();
    if (!found.isFile()) return unreadable(path, 'is not a file');
    const before = toFacts(found);
    const sha256 = await digest(file, before.sizeBytes, context);
    if (sha256 === undefined) return fail('cancelled', 'Cancelled.');
    // By its path: another file may have taken its place.
    const after = toFacts(await stat(path));
    const changed = after.sizeBytes !== before.sizeBytes || after.modifiedUs !== before.modifiedUs;
    return changed ? stillWritten(path) : ok({ sha256, facts: before });
  } catch (thrown) {
    return fileFailure(path, thrown);
  }
}

/** `undefined` = cancelled. */
async function digest(
  file: FileHandle,
  sizeBytes: number,
  { signal, progress }: Pick<CallContext, 'signal' | 'progress'>,
): Promise<string | undefined> {
  const hash = createHash('sha256');
  const slice = Buffer.allocUnsafe(SLICE_BYTES);
  let reportedMs = Date.now();
  for (let read = 0; ; ) {
    if (signal.aborted) return undefined;
    const { bytesRead } = await file.read(slice, 0, SLICE_BYTES, null);
    if (bytesRead === 0) return hash.digest('hex');
    hash.update(slice.subarray(0, bytesRead));
    read += bytesRead;
    if (Date.now() - reportedMs >= PROGRESS_MS) {
      reportedMs = Date.now();
      progress({ fraction: Math.min(1, read / sizeBytes), text: 'Hashing the file' });
    }
  }
}

function fileFailure(path: string, thrown: unknown): Result<never, HashError> {
  const { code } = thrown as NodeJS.ErrnoException;
  if (code === undefined) throw thrown;
  if (code === 'ENOENT' || code === 'ENOTDIR') return missing(path);
  return unreadable(path, 'can’t be read', code);
}

function missing(path: string): Result<never, 'file-missing'> {
  return fail('file-missing', `The file ${path} is no longer there: locate it.`);
}

function unreadable(path: string, how: string, detail?: string): Result<never, 'file-unreadable'> {
  return fail(
    'file-unreadable',
    `${path} ${how}: check the path and its permissions, then try again.`,
    detail,
  );
}

export function stillWritten(path: string): Result<never, 'file-unreadable'> {
  return fail(
    'file-unreadable',
    `The file ${path} is being written: try again when that is finished.`,
  );
}
