import { createHash } from 'node:crypto';
import type { FileHandle } from 'node:fs/promises';
import { pipeline, type Readable } from 'node:stream';
import { crc32, createInflateRaw } from 'node:zlib';
import type { ZipEntry } from './zip-directory.ts';

const CHUNK_BYTES = 2 ** 18;

/** What was read is not what the archive says: its message is the detail of a failure. */
export class WrongContent extends Error {}

/** What an entry came to, once its size and checksum were found right. */
export interface EntryDigest {
  readonly sha256: string;
}

/**
 * Hands the unpacked bytes of an entry to `take`, one chunk after the other, never more than it
 * declared. Throws WrongContent, and whatever `take` or the file system throw.
 */
export async function readEntry(
  handle: FileHandle,
  entry: ZipEntry,
  take: (chunk: Buffer) => Promise<void> | void,
  signal: AbortSignal,
): Promise<EntryDigest> {
  const hash = createHash('sha256');
  let checksum = 0;
  let readBytes = 0;
  for await (const chunk of unpack(handle, entry)) {
    signal.throwIfAborted();
    readBytes += chunk.length;
    if (readBytes > entry.sizeBytes) throw new WrongContent(`${entry.name} is longer than it says`);
    checksum = crc32(chunk, checksum);
    hash.update(chunk);
    await take(chunk);
  }
  if (readBytes < entry.sizeBytes) throw new WrongContent(`${entry.name} is shorter than it says`);
  if (checksum !== entry.crc32) throw new WrongContent(`${entry.name} has another checksum`);
  return { sha256: hash.digest('hex') };
}

async function* unpack(handle: FileHandle, entry: ZipEntry): AsyncGenerator<Buffer> {
  const { dataStart: start, compressedBytes, isDeflated, name } = entry;
  if (compressedBytes === 0) return;
  const end = start + compressedBytes - 1;
  const packed = handle.createReadStream({
    start,
    end,
    autoClose: false,
    highWaterMark: CHUNK_BYTES,
  });
  if (!isDeflated) {
    yield* packed as AsyncIterable<Buffer>;
    return;
  }
  const inflate = createInflateRaw({ chunkSize: CHUNK_BYTES });
  // Errors reach the reader of `inflate`; the callback is for who has none.
  const unpacked: Readable = pipeline(packed, inflate, () => undefined);
  try {
    yield* unpacked as AsyncIterable<Buffer>;
  } catch (thrown) {
    throw isZlibError(thrown) ? new WrongContent(`${name}: ${(thrown as Error).message}`) : thrown;
  }
  if (inflate.bytesWritten !== compressedBytes) {
    throw new WrongContent(`${name} is followed by bytes of its own`);
  }
}

function isZlibError(thrown: unknown): boolean {
  return thrown instanceof Error && 'code' in thrown && /^Z_/.test(String(thrown.code));
}

/** A small entry as a whole; whoever calls has checked its size. */
export async function readWhole(
  handle: FileHandle,
  entry: ZipEntry,
  signal: AbortSignal,
): Promise<EntryDigest & { readonly bytes: Buffer }> {
  const chunks: Buffer[] = [];
  const digest = await readEntry(handle, entry, (chunk) => void chunks.push(chunk), signal);
  return { ...digest, bytes: Buffer.concat(chunks) };
}
