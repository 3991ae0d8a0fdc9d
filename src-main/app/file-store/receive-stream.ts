import { createHash } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { describeThrown, fail, ok, type Result } from '../../shared/rpc/result.ts';
import { freeBytesIn, SPARE_BYTES } from '../../system/disk-room.ts';
import type { TraceCopy } from '../../trace/content/trace-copy.ts';
import type { FileStore, Part } from './file-store.ts';

/** How much is written between two looks at the free space: others write to the disk as well. */
const CHECK_BYTES = 64 * 2 ** 20;

type ReceiveError = 'disk-full' | 'file-unreadable' | 'cancelled';

/** A file that a page streams to its host. */
export interface IncomingFile {
  readonly name: string;
  readonly body: Readable;
  /** Where the sender tells it, else 0. */
  readonly expectedBytes: number;
}

export interface ReceivedFile extends TraceCopy {
  readonly part: Part;
}

/** Streams a file into a part of `store`. Nothing is left behind by one that fails. */
export async function receiveStream(
  store: FileStore,
  { name, body, expectedBytes }: IncomingFile,
  freeBytes: (folder: string) => Promise<number> = freeBytesIn,
): Promise<Result<ReceivedFile, ReceiveError>> {
  let part: Part | undefined;
  try {
    part = await store.newPart(name);
    const { folder, path } = part;
    if (expectedBytes + SPARE_BYTES > (await freeBytes(folder))) throw new DiskFull();
    const copy = await writeStream(body, path, () => freeBytes(folder));
    return ok({ part, ...copy });
  } catch (thrown) {
    if (part !== undefined) await store.discard(part);
    return receiveFailure(thrown);
  }
}

async function writeStream(
  body: Readable,
  path: string,
  freeBytes: () => Promise<number>,
): Promise<TraceCopy> {
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
      if ((await freeBytes()) < SPARE_BYTES) throw new DiskFull();
    }
  }
  // Flushed: after a power cut the name must not stand for a file without its bytes.
  const file = createWriteStream(path, { flags: 'wx', mode: 0o600, flush: true });
  // Left open where it fails: the sender is to be told.
  await pipeline(body.iterator({ destroyOnReturn: false }), measured, file);
  return { sha256: hash.digest('hex'), sizeBytes };
}

class DiskFull extends Error {
  readonly code = 'ENOSPC';
}

/** What an exception while a file was stored means for the user. */
export function receiveFailure(thrown: unknown): Result<never, ReceiveError> {
  const code = (thrown as { code?: string } | null)?.code;
  if (code === 'ENOSPC' || code === 'EDQUOT') {
    return fail(
      'disk-full',
      'The disk of the library has too little free space for this file: free some, or open the file by its path, which copies nothing.',
      describeThrown(thrown),
    );
  }
  if (code === 'ERR_STREAM_PREMATURE_CLOSE' || code === 'ECONNRESET') {
    return fail('cancelled', 'The upload was cancelled; nothing was kept.');
  }
  return fail(
    'file-unreadable',
    "The file could not be stored in the library: check the permissions of the library's data folder, or open the file by its path.",
    describeThrown(thrown),
  );
}
