import { webcrypto } from 'node:crypto';
import { promisify } from 'node:util';
import { constants, zstdDecompress } from 'node:zlib';
import type { FrameLine } from './send-lines.ts';

const decompress = promisify(zstdDecompress);

/** 8 MiB: what zstd needs for a frame of 4 MiB at its highest level, and what a bomb gets. */
const LARGEST_WINDOW_LOG = 23;

/**
 * The bytes of the trace in a frame's body; undefined where they are not what its line says. In the
 * thread pool, never more than `length` bytes of memory for them.
 */
export async function unpackFrame(
  { encoding, length, sha256 }: FrameLine,
  body: Buffer<ArrayBuffer>,
): Promise<Buffer<ArrayBuffer> | undefined> {
  const raw = encoding === 'stored' ? body : await decompressed(body, length);
  if (raw?.length !== length) return undefined;
  const hash = await webcrypto.subtle.digest('SHA-256', raw);
  return Buffer.from(hash).toString('hex') === sha256 ? raw : undefined;
}

async function decompressed(
  body: Buffer,
  length: number,
): Promise<Buffer<ArrayBuffer> | undefined> {
  try {
    return (await decompress(body, {
      // One piece, and a little more: a full one would have the next one allocated.
      chunkSize: length + 64,
      maxOutputLength: length,
      params: { [constants.ZSTD_d_windowLogMax]: LARGEST_WINDOW_LOG },
    })) as Buffer<ArrayBuffer>;
  } catch {
    return undefined;
  }
}
