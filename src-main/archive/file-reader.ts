import type { FileHandle } from 'node:fs/promises';
import type { Readable } from 'node:stream';
import { RandomAccessReader } from 'yauzl';

/** Reads an open file for yauzl. The handle stays the caller's: nothing here closes it. */
export class FileReader extends RandomAccessReader {
  readonly #handle: FileHandle;
  readonly #sizeBytes: number;

  constructor(handle: FileHandle, sizeBytes: number) {
    super();
    this.#handle = handle;
    this.#sizeBytes = sizeBytes;
  }

  /** Entries are read by read-entry.ts. */
  override _readStreamForRange(): Readable {
    throw new Error('this reader has no streams');
  }

  override read(
    buffer: Buffer,
    offset: number,
    length: number,
    position: number,
    callback: (error: Error | null, bytesRead?: number) => void,
  ): void {
    // Positions come from the file, up to 2^64: Node would throw here, where nobody catches.
    if (!(position >= 0 && position + length <= this.#sizeBytes)) {
      setImmediate(callback, new Error(`nothing to read at ${position}`));
      return;
    }
    this.#handle.read(buffer, offset, length, position).then(
      ({ bytesRead }) => callback(null, bytesRead),
      (error: Error) => callback(error),
    );
  }

  override close(callback: (error: Error | null) => void): void {
    setImmediate(callback, null);
  }
}
