import { createHash } from 'node:crypto';
import { type FileHandle, open } from 'node:fs/promises';

/** A piece is hashed in one go, outside of this thread. */
const PIECE_BYTES = 4 * 2 ** 20;
/** So many are read and hashed at once. */
const AT_ONCE = 3;

/**
 * What tells the bytes of the file at `path` from any others: the SHA-256 of the hashes of its pieces, of which several are
 * worked out at once. Throws what the system throws.
 */
export async function contentHash(path: string): Promise<string> {
  const file = await open(path, 'r');
  try {
    const { size } = await file.stat();
    const hashes = new Array<Uint8Array>(Math.ceil(size / PIECE_BYTES));
    let next = 0;
    const hashPieces = async () => {
      const room = new Uint8Array(PIECE_BYTES);
      while (next < hashes.length) {
        const piece = next++;
        const bytes = await readPiece(file, room, piece * PIECE_BYTES);
        hashes[piece] = new Uint8Array(await crypto.subtle.digest('SHA-256', bytes));
      }
    };
    await Promise.all(Array.from({ length: AT_ONCE }, hashPieces));
    const whole = createHash('sha256').update(`${size} `);
    for (const hash of hashes) whole.update(hash);
    return whole.digest('hex');
  } finally {
    await file.close();
  }
}

/** What the file has from `position` on, as much as there is room for. */
async function readPiece(
  file: FileHandle,
  room: Uint8Array<ArrayBuffer>,
  position: number,
): Promise<Uint8Array<ArrayBuffer>> {
  let length = 0;
  while (length < room.length) {
    const { bytesRead } = await file.read(room, length, room.length - length, position + length);
    if (bytesRead === 0) break;
    length += bytesRead;
  }
  return room.subarray(0, length);
}
