const FIRST_BYTES = 2 ** 20;

/** A part of a file that moves from its begin to its end: nothing of it is in memory but what is being read. */
export class ByteWindow {
  bytes = Buffer.alloc(FIRST_BYTES);
  /** Behind the last byte that is there. */
  end = 0;
  /** How many bytes of the file are before the window. */
  passed = 0;
  /** Whether nothing follows. */
  isAtEnd = false;
  readonly #parts: Iterator<Buffer>;

  constructor(parts: Iterable<Buffer>) {
    this.#parts = parts[Symbol.iterator]();
  }

  /**
   * Leaves out what is before `from`, which then is at 0, and adds what follows; false where nothing does.
   * Then all positions but `from` are others.
   */
  more(from: number): boolean {
    if (this.isAtEnd) return false;
    const { done, value } = this.#parts.next();
    if (done === true) {
      this.isAtEnd = true;
      return false;
    }
    const kept = this.end - from;
    if (kept + value.length > this.bytes.length) {
      const larger = Buffer.alloc(2 * (kept + value.length));
      this.bytes.copy(larger, 0, from, this.end);
      this.bytes = larger;
    } else this.bytes.copyWithin(0, from, this.end);
    value.copy(this.bytes, kept);
    this.end = kept + value.length;
    this.passed += from;
    return true;
  }

  /** Ends the reading of the file, also before its end. */
  close(): void {
    this.isAtEnd = true;
    this.#parts.return?.();
  }
}
