const FIRST_BYTES = 4096;

/**
 * Bytes that come in pieces of any size, held in one: a host may send each alone, and as objects of their
 * own, or copied with every next one, a megabyte of them would take a gigabyte, or minutes.
 */
export class HeldBytes {
  #memory: Buffer = Buffer.alloc(0);
  #begin = 0;
  #end = 0;

  get length(): number {
    return this.#end - this.#begin;
  }

  /** What is held, until the next change. */
  get bytes(): Buffer {
    return this.#memory.subarray(this.#begin, this.#end);
  }

  add(piece: Buffer): void {
    if (this.#end + piece.length > this.#memory.length) this.#makeRoom(piece.length);
    this.#end += piece.copy(this.#memory, this.#end);
  }

  /** Forgets so many from the begin. */
  drop(count: number): void {
    this.#begin = Math.min(this.#end, this.#begin + count);
  }

  #makeRoom(count: number): void {
    const held = this.bytes;
    const wanted = held.length + count;
    // At least half of it is new room: each byte is moved a few times at most.
    if (wanted * 2 > this.#memory.length)
      this.#memory = Buffer.allocUnsafeSlow(Math.max(FIRST_BYTES, wanted * 2));
    held.copy(this.#memory, 0);
    this.#begin = 0;
    this.#end = held.length;
  }
}
