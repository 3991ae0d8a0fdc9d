import { createHash, randomUUID } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import { mkdir, rm, statfs } from 'node:fs/promises';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { describeThrown, fail, ok, type Result } from '../shared/result.ts';
import { safeName } from './upload-name.ts';

/** Left free on the disk that takes an upload. */
const RESERVE_BYTES = 256 * 2 ** 20;
/** How much is written between two looks at the free space: others write to the disk as well. */
const CHECK_BYTES = 64 * 2 ** 20;

type UploadError = 'disk-full' | 'file-unreadable' | 'cancelled';

/** A whole upload, not yet in its place: `part`/`fileName`. */
export interface ReceivedUpload {
  readonly part: string;
  readonly fileName: string;
  readonly sha256: string;
  readonly sizeBytes: number;
}

interface ReceiveOptions {
  readonly name: string;
  readonly folder: string;
  /** Where the sender tells it. */
  readonly expectedBytes: number;
  /** Free bytes on the disk of a folder. */
  readonly freeBytes?: (folder: string) => Promise<number>;
}

/** Streams `body` to `folder`/<random>.part/<name>. Nothing is left behind by an upload that fails. */
export async function receiveUpload(
  body: Readable,
  { name, folder, expectedBytes, freeBytes = freeBytesOf }: ReceiveOptions,
): Promise<Result<ReceivedUpload, UploadError>> {
  const part = join(folder, `${randomUUID()}.part`);
  const fileName = safeName(name);
  const hash = createHash('sha256');
  let sizeBytes = 0;
  async function* measured(source: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
    let checkedAt = 0;
    for await (const chunk of source) {
      hash.update(chunk);
      sizeBytes += chunk.length;
      yield chunk;
      if (sizeBytes - checkedAt < CHECK_BYTES) continue;
      checkedAt = sizeBytes;
      if ((await freeBytes(folder)) < RESERVE_BYTES) throw new DiskFull();
    }
  }
  try {
    await mkdir(part, { recursive: true, mode: 0o700 });
    if (expectedBytes + RESERVE_BYTES > (await freeBytes(folder))) throw new DiskFull();
    // Flushed: after a power cut the name must not stand for a file without its bytes.
    const file = createWriteStream(join(part, fileName), { flags: 'wx', mode: 0o600, flush: true });
    await pipeline(body, measured, file);
    return ok({ part, fileName, sha256: hash.digest('hex'), sizeBytes });
  } catch (thrown) {
    await rm(part, { recursive: true, force: true });
    return uploadFailure(thrown, folder);
  }
}

class DiskFull extends Error {
  readonly code = 'ENOSPC';
}

async function freeBytesOf(folder: string): Promise<number> {
  const { bavail, bsize } = await statfs(folder);
  return bavail * bsize;
}

/** What an exception while storing an upload in `folder` means for the user. */
export function uploadFailure(thrown: unknown, folder: string): Result<never, UploadError> {
  const code = (thrown as { code?: string } | null)?.code;
  if (code === 'ENOSPC' || code === 'EDQUOT') {
    return fail(
      'disk-full',
      `The disk of ${folder} has too little free space for this file: free some, or open the file by its path, which copies nothing.`,
    );
  }
  if (code === 'ERR_STREAM_PREMATURE_CLOSE' || code === 'ECONNRESET') {
    return fail('cancelled', 'The upload was cancelled; nothing was kept.');
  }
  return fail(
    'file-unreadable',
    `The file could not be stored in ${folder}: check that folder's permissions, or open the file by its path.`,
    describeThrown(thrown),
  );
}
