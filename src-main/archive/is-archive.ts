import { constants } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';

/** A zip's first entry, or the end record of one that has none, APPNOTE 4.3.7 and 4.3.16. */
const SIGNATURES: ReadonlySet<string> = new Set(['504b0304', '504b0506']);

/** Whether the file at `path` is a zip: by its first bytes, so that any name will do. */
export async function isArchive(path: string): Promise<boolean> {
  const handle = await openForReading(path).catch(() => undefined);
  if (handle === undefined) return false;
  try {
    return await hasSignature(handle);
  } catch {
    return false;
  } finally {
    await handle.close();
  }
}

/** Opens without blocking, whatever is there: a FIFO without a writer would block for ever. */
export function openForReading(path: string): Promise<FileHandle> {
  return open(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
}

/** The same of an opened file; throws where it can't be read. */
export async function hasSignature(handle: FileHandle): Promise<boolean> {
  if (!(await handle.stat()).isFile()) return false;
  const { buffer, bytesRead } = await handle.read(Buffer.alloc(4), 0, 4, 0);
  return bytesRead === 4 && SIGNATURES.has(buffer.toString('hex'));
}
