import type { Readable } from 'node:stream';
import { parseJson } from '../../shared/text/parse-json.ts';
import { HeldBytes } from './held-bytes.ts';

/** An answer of the agent is one line: a thousand captures, or ten thousand processes, are less. */
export const MOST_ANSWER_BYTES = 8 * 1024 * 1024;
/** What is passed over of lines that are none of the program's, such as PAM's. */
const MOST_NOISE = 1024 * 1024;

/**
 * Settles when `stdout` has given `mark` and then a line that is a JSON object; everything from that
 * line on stays in `stdout`, which is paused. `no-line`: it ended first, or gave too much else; `too-long`:
 * the line is.
 * Never settles while nothing comes: race it.
 */
export function awaitFirstLine(
  stdout: Readable,
  mark: string,
): Promise<{
  readonly kind: 'line' | 'no-line' | 'too-long';
  readonly said: string;
  readonly marked: boolean;
}> {
  return new Promise((resolve) => {
    const search = new FirstLine(mark);
    function settle(kind: 'line' | 'no-line' | 'too-long'): void {
      stdout.off('data', take);
      stdout.off('end', end);
      stdout.off('close', end);
      resolve({ kind, said: search.said, marked: search.marked });
    }
    function take(chunk: Buffer): void {
      const found = search.add(chunk);
      if (found === 'too-much') settle('no-line');
      else if (found === 'too-long') settle('too-long');
      else if (found !== undefined) {
        stdout.pause();
        stdout.unshift(found);
        settle('line');
      }
    }
    const end = () => settle('no-line');
    stdout.on('data', take);
    stdout.once('end', end);
    stdout.once('close', end);
  });
}

class FirstLine {
  readonly #mark: string;
  readonly #pending = new HeldBytes();
  /** Of what is pending, where no line ends. */
  #lookedAt = 0;
  #noiseBytes = 0;
  #said = '';
  marked = false;

  constructor(mark: string) {
    this.#mark = mark;
  }

  get said(): string {
    return `${this.#said}${this.#pending.bytes.toString('utf8', 0, 2048)}`.slice(0, 2048);
  }

  /** All bytes from the line on, once it is whole. */
  add(chunk: Buffer): Buffer | 'too-much' | 'too-long' | undefined {
    this.#pending.add(chunk);
    if (!this.marked) this.#passMark();
    if (!this.marked) return this.#noiseBytes > 4 * MOST_NOISE ? 'too-much' : undefined;
    for (;;) {
      const { bytes } = this.#pending;
      const end = bytes.indexOf('\n', this.#lookedAt);
      this.#lookedAt = bytes.length;
      if (end < 0) return bytes.length > MOST_ANSWER_BYTES ? 'too-long' : undefined;
      if (isJsonObject(bytes.toString('utf8', 0, end))) return bytes;
      this.#drop(end + 1);
      if (this.#noiseBytes > MOST_NOISE) return 'too-much';
    }
  }

  #passMark(): void {
    const at = this.#pending.bytes.indexOf(this.#mark);
    if (at < 0) {
      this.#drop(Math.max(0, this.#pending.length - this.#mark.length));
      return;
    }
    this.#pending.drop(at + this.#mark.length);
    this.#noiseBytes = 0;
    this.#said = '';
    this.marked = true;
  }

  #drop(bytes: number): void {
    if (this.#said.length < 2048) this.#said += this.#pending.bytes.toString('utf8', 0, bytes);
    this.#noiseBytes += bytes;
    this.#lookedAt = 0;
    this.#pending.drop(bytes);
  }
}

function isJsonObject(line: string): boolean {
  return line.startsWith('{') && typeof parseJson(line) === 'object';
}
