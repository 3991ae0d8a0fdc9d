import { createHash, randomUUID } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import { mkdir, rename, rm, statfs } from 'node:fs/promises';
import type { IncomingMessage } from 'node:http';
import { basename, join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { describeThrown, fail, ok, type Result } from '../shared/result.ts';
import { cleanText } from '../shared/text.ts';

/** Left free on the disk that takes an upload. */
const RESERVE_BYTES = 256 * 2 ** 20;

type UploadError = 'disk-full' | 'file-unreadable' | 'cancelled';

/**
 * Streams a request's body to `folder`/<first 16 digits of its SHA-256>/<name> and returns that path:
 * the same file sent twice is stored once. Nothing is left behind by an upload that fails.
 */
export async function receiveUpload(
  request: IncomingMessage,
  name: string,
  folder: string,
): Promise<Result<string, UploadError>> {
  const partial = join(folder, `${randomUUID()}.part`);
  try {
    await mkdir(folder, { recursive: true, mode: 0o700 });
    const space = await statfs(folder);
    const freeBytes = space.bavail * space.bsize;
    if (Number(request.headers['content-length'] ?? 0) + RESERVE_BYTES > freeBytes) {
      return diskFull(folder);
    }
    const hash = createHash('sha256');
    await pipeline(
      request,
      async function* (source) {
        for await (const chunk of source) {
          hash.update(chunk as Buffer);
          yield chunk;
        }
      },
      createWriteStream(partial, { flags: 'wx', mode: 0o600 }),
    );
    const home = join(folder, hash.digest('hex').slice(0, 16));
    await mkdir(home, { recursive: true, mode: 0o700 });
    const path = join(home, safeName(name));
    await rename(partial, path);
    return ok(path);
  } catch (thrown) {
    await rm(partial, { force: true });
    return uploadFailure(thrown, folder);
  }
}

/** A file name that stays in its folder and can be shown: the user's own wherever that is possible. */
function safeName(name: string): string {
  const cleaned = cleanText(basename(name.replaceAll('\\', '/')), 150).replaceAll(
    /[/:*?"<>|]/g,
    '_',
  );
  return /^\.*$/.test(cleaned) ? 'trace.db' : cleaned;
}

function uploadFailure(thrown: unknown, folder: string): Result<never, UploadError> {
  const code = (thrown as { code?: string } | null)?.code;
  if (code === 'ENOSPC' || code === 'EDQUOT') return diskFull(folder);
  if (code === 'ERR_STREAM_PREMATURE_CLOSE' || code === 'ECONNRESET') {
    return fail('cancelled', 'The upload was cancelled; nothing was kept.');
  }
  return fail(
    'file-unreadable',
    `The file could not be stored in ${folder}: check that folder's permissions, or open the file by its path.`,
    describeThrown(thrown),
  );
}

function diskFull(folder: string): Result<never, 'disk-full'> {
  return fail(
    'disk-full',
    `The disk of ${folder} has too little free space for this file: free some, or open the file by its path, which copies nothing.`,
  );
}
