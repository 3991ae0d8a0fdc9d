import type { Readable } from 'node:stream';
import { setTimeout } from 'node:timers/promises';

/** The agent's own limit: docs/agent.md. */
const LONGEST_LINE_BYTES = 64 * 1024;
/** A run's lines are 4 MiB at most when they are told anew, and some kilobytes a second from then on. */
const BYTES_PER_SECOND = 8 * 1024 ** 2;
/** Each takes some µs, however short: of such a run's there are some thousand. */
const LINES_PER_SECOND = 20_000;
const NEWLINE = 0x0a;

/**
 * The lines of what a host sends, without their ends; `undefined` for one that is too long or no
 * UTF-8. What comes faster than a capture can tell anything is left with the sender. Ends with the
 * stream, also with one that breaks, and without a line that has no end.
 */
export async function* readLines(stream: Readable): AsyncGenerator<string | undefined> {
  const line = new LineBuffer();
  const bytes = new Pace(BYTES_PER_SECOND);
  const lines = new Pace(LINES_PER_SECOND);
  try {
    for await (const chunk of stream as AsyncIterable<Buffer>) {
      await bytes.spend(chunk.length);
      for (const each of line.take(chunk)) {
        yield each;
        if (lines.isSpent(1)) await lines.wait();
      }
    }
  } catch {
    // A stream that broke: whoever reads asks the channel how it ended.
  }
}

/** So much a second, and no more. */
class Pace {
  readonly #most: number;
  #beganMs = performance.now();
  #spent = 0;

  constructor(most: number) {
    this.#most = most;
  }

  /** Counts `count`; whether that is more than this second has. */
  isSpent(count: number): boolean {
    if (performance.now() - this.#beganMs >= 1000) this.#begin();
    this.#spent += count;
    return this.#spent > this.#most;
  }

  /** For the next second. */
  async wait(): Promise<void> {
    await setTimeout(Math.max(0, 1000 - (performance.now() - this.#beganMs)));
    this.#begin();
  }

  async spend(count: number): Promise<void> {
    if (this.isSpent(count)) await this.wait();
  }

  #begin(): void {
    this.#beganMs = performance.now();
    this.#spent = 0;
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
