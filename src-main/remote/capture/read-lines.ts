import type { Readable } from 'node:stream';
import { setTimeout } from 'node:timers/promises';

/** The agent's own limit: docs/agent.md. */
const LONGEST_LINE_BYTES = 64 * 1024;
/** A run's lines are 4 MiB at most when they are told anew, and some kilobytes a second from then on. */
const BYTES_PER_SECOND = 8 * 1024 ** 2;
const NEWLINE = 0x0a;

/**
 * The lines of what a host sends, without their ends; `undefined` for one that is too long or no
 * UTF-8. What comes faster than a capture can tell anything is left with the sender. Ends with the
 * stream, also with one that breaks, and without a line that has no end.
 */
export async function* readLines(stream: Readable): AsyncGenerator<string | undefined> {
  const line = new LineBuffer();
  let second = Date.now();
  let bytes = 0;
  try {
    for await (const chunk of stream as AsyncIterable<Buffer>) {
      bytes += chunk.length;
      if (Date.now() - second >= 1000) {
        second = Date.now();
        bytes = chunk.length;
      } else if (bytes > BYTES_PER_SECOND) {
        await setTimeout(1000 - (Date.now() - second));
      }
      yield* line.take(chunk);
    }
  } catch {
    // A stream that broke: whoever reads asks the channel how it ended.
  }
}

class LineBuffer {
  readonly #decoder = new TextDecoder('utf-8', { fatal: true });
  #parts: Buffer[] = [];
  #length = 0;

  *take(chunk: Buffer): Generator<string | undefined> {
    let begin = 0;
    for (let end = chunk.indexOf(NEWLINE); end >= 0; end = chunk.indexOf(NEWLINE, begin)) {
      this.#add(chunk.subarray(begin, end));
      yield this.#line();
      begin = end + 1;
    }
    this.#add(chunk.subarray(begin));
  }

  /** Of a line that is too long its length alone is kept. */
  #add(part: Buffer): void {
    this.#length += part.length;
    if (this.#length > LONGEST_LINE_BYTES) this.#parts = [];
    else if (part.length > 0) this.#parts.push(part);
  }

  #line(): string | undefined {
    const bytes = this.#length > LONGEST_LINE_BYTES ? undefined : Buffer.concat(this.#parts);
    this.#parts = [];
    this.#length = 0;
    if (bytes === undefined) return undefined;
    try {
      return this.#decoder.decode(bytes);
    } catch {
      return undefined;
    }
  }
}
