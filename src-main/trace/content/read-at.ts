import { readSync } from 'node:fs';

/** The `length` bytes of a file from `position` on, or what there is of them. Throws errno. */
export function readAt(descriptor: number, position: number, length: number): Buffer {
  const bytes = Buffer.alloc(length);
  return bytes.subarray(0, readSync(descriptor, bytes, 0, length, position));
}
