import type { Readable } from 'node:stream';
import { fail, ok, type Result } from '../../shared/rpc/result.ts';

/** `ended`: before all of it came. `too-long`: a line beyond what it may be. */
type ReadError = 'ended' | 'too-long';

const NEWLINE = 0x0a;

/**
 * Lines and bytes in turn from a stream that is not trusted: it holds what the stream hands over at
 * once and what was asked for, never more; what nobody asks for stays where it is.
 */
export class ByteReader {
  private readonly chunks: AsyncIterator<Buffer, undefined>;
  private readonly onBytes: (count: number) => void;
  private held: Buffer = Buffer.alloc(0);

  /** `onBytes` hears of all bytes as they come. */
  constructor(stream: Readable, onBytes: (count: number) => void) {
    this.chunks = stream[Symbol.asyncIterator]();
    this.onBytes = onBytes;
  }

  /** The next line without its end, of at most `most` bytes. */
  async line(most: number): Promise<Result<string, ReadError>> {
    const parts: Buffer[] = [];
    for (let length = 0; ; ) {
      const end = this.held.indexOf(NEWLINE);
      const part = end < 0 ? this.held : this.held.subarray(0, end);
      length += part.length;
      if (length > most) return fail('too-long', `A line is longer than ${most} bytes.`);
      parts.push(part);
      this.held = this.held.subarray(part.length + (end < 0 ? 0 : 1));
      if (end >= 0) return ok(Buffer.concat(parts).toString('utf8'));
      if (!(await this.more())) return ended();
    }
  }

  /** Fills `into` with the next bytes. */
  async bytes(into: Buffer<SharedArrayBuffer>): Promise<Result<null, ReadError>> {
    for (let filled = 0; ; ) {
      const copied = this.held.copy(into, filled);
      filled += copied;
      this.held = this.held.subarray(copied);
      if (filled === into.length) return ok(null);
      if (!(await this.more())) return ended();
    }
  }

  /** Once something is there to be read: whether it is; false at the end. */
  async waits(): Promise<boolean> {
    return this.held.length > 0 || (await this.more());
  }

  /** More bytes at hand; false at the end of the stream, however it came. */
  private async more(): Promise<boolean> {
    try {
      const next = await this.chunks.next();
      if (next.done === true) return false;
      this.onBytes(next.value.length);
      this.held = next.value;
      return true;
    } catch {
      return false;
    }
  }
}

function ended(): Result<never, 'ended'> {
  return fail('ended', 'The stream ended in the middle.');
}
