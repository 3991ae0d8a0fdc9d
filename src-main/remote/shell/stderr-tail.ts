import { StringDecoder } from 'node:string_decoder';

/** Characters kept of what a host says on standard error. */
const KEPT = 32 * 1024;
// All of C0 and C1 but the line feed; ESC begins sequences that would steer a terminal.
// biome-ignore lint/suspicious/noControlCharactersInRegex: finding control characters is its purpose
const CONTROLS = /[\u0000-\u0009\u000b-\u001f\u007f-\u009f]/g;

/** The last 32 KB of a stream of text, without control characters and without secrets. */
export class StderrTail {
  readonly #decoder = new StringDecoder('utf8');
  readonly #hidden: string[] = [];
  #text = '';

  add(chunk: Buffer): void {
    this.#text += this.#decoder.write(chunk);
    // Twice as much is kept inside, so that a secret on the edge is still recognised whole. Not cut at
    // each piece: they may be of one byte.
    if (this.#text.length > 4 * KEPT) this.#text = this.#text.slice(-2 * KEPT);
  }

  /** Never show this, wherever it stands. */
  hide(secret: string): void {
    if (secret !== '') this.#hidden.push(secret);
  }

  /** As it came. */
  raw(): string {
    return this.#text;
  }

  /** Forgets all up to and with the first `mark`; false where it hasn't come. */
  dropThrough(mark: string): boolean {
    const at = this.#text.indexOf(mark);
    if (at < 0) return false;
    this.#text = this.#text.slice(at + mark.length);
    return true;
  }

  /** Cuts the first `mark` out; false where there is none. */
  take(mark: string): boolean {
    const at = this.#text.indexOf(mark);
    if (at >= 0) this.#text = this.#text.slice(0, at) + this.#text.slice(at + mark.length);
    return at >= 0;
  }

  /** What came before `mark`, or all. */
  upTo(mark: string): string {
    const at = this.#text.indexOf(mark);
    return this.#clean(at < 0 ? this.#text : this.#text.slice(0, at));
  }

  toString(): string {
    return this.#clean(this.#text);
  }

  #clean(raw: string): string {
    const shown = this.#hidden.reduce((text, secret) => text.replaceAll(secret, ''), raw);
    return shown.replaceAll('\r\n', '\n').replaceAll(CONTROLS, '\ufffd').slice(-KEPT).trim();
  }
}
