import { closeSync, constants, fstatSync, openSync, readSync, statSync } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';

/** How a file is opened of which nothing is known: a FIFO without a writer would block for ever. */
// Windows has neither flag nor FIFOs in its file system.
const READ_ONLY = constants.O_RDONLY | (constants.O_NONBLOCK ?? 0);

/** How a file begins, to tell by its content what it is: its name says nothing. */
export interface FileHead {
  readonly sizeBytes: number;
  readonly bytes: Buffer;
}

export function openForReading(path: string): Promise<FileHandle> {
  return open(path, READ_ONLY);
}

/**
 * At most the first `maxBytes` of the file at `path`; undefined of a folder, a pipe, a device. Throws where
 * it can't be read, and never waits.
 */
export async function readHead(path: string, maxBytes: number): Promise<FileHead | undefined> {
  const file = await openForReading(path);
  try {
    return await headOf(file, maxBytes);
  } finally {
    await file.close();
  }
}

/** The same of a file that is open. */
export async function headOf(file: FileHandle, maxBytes: number): Promise<FileHead | undefined> {
  const status = await file.stat();
  if (!status.isFile()) return undefined;
  const bytes = Buffer.alloc(Math.min(status.size, maxBytes));
  let length = 0;
  while (length < bytes.length) {
    const { bytesRead } = await file.read(bytes, length, bytes.length - length, length);
    if (bytesRead === 0) break;
    length += bytesRead;
  }
  return { sizeBytes: status.size, bytes: bytes.subarray(0, length) };
}

/** The same, for a process that may block. */
export function readHeadNow(path: string, maxBytes: number): FileHead | undefined {
  if (!statSync(path).isFile()) return undefined;
  const descriptor = openSync(path, READ_ONLY);
  try {
    const status = fstatSync(descriptor);
    if (!status.isFile()) return undefined;
    const bytes = Buffer.alloc(Math.min(status.size, maxBytes));
    let length = 0;
    while (length < bytes.length) {
      const bytesRead = readSync(descriptor, bytes, length, bytes.length - length, length);
      if (bytesRead === 0) break;
      length += bytesRead;
    }
    return { sizeBytes: status.size, bytes: bytes.subarray(0, length) };
  } finally {
    closeSync(descriptor);
  }
}
