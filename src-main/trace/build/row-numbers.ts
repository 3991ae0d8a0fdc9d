const FIRST_SLOTS = 1024;

/**
 * Numbers rows of a few 32-bit integers: equal rows have one number, from 0 on. A hash table without
 * an object a row, for millions of them.
 */
export class RowNumbers {
  count = 0;
  readonly #width: number;
  readonly #asked: Int32Array;
  /** Another one each time: whoever makes a file can't choose rows that all fall on one slot. */
  readonly #seed = Math.floor(Math.random() * 2 ** 32);
  #rows: Int32Array<ArrayBuffer>;
  /** The number of a row and 1; 0 = free. A power of two of them. */
  #slots = new Int32Array(FIRST_SLOTS);

  constructor(width: 2 | 4) {
    this.#width = width;
    this.#asked = new Int32Array(width);
    this.#rows = new Int32Array((FIRST_SLOTS / 2) * width);
  }

  numberOf(first: number, second: number, third = 0, fourth = 0): number {
    this.#asked[0] = first;
    this.#asked[1] = second;
    // Beyond the width these go nowhere.
    this.#asked[2] = third;
    this.#asked[3] = fourth;
    const slot = this.#slotOf(this.#asked, 0);
    const known = this.#slots[slot];
    if (known !== 0) return known - 1;
    this.#rows.set(this.#asked, this.count * this.#width);
    this.#slots[slot] = ++this.count;
    if (this.count * 2 === this.#slots.length) this.#grow();
    return this.count - 1;
  }

  /** The values that the rows have at `place`, by number. */
  column(place: number): Int32Array<ArrayBuffer> {
    const column = new Int32Array(this.count);
    for (let row = 0, at = place; row < column.length; row++, at += this.#width)
      column[row] = this.#rows[at];
    return column;
  }

  /** Where the row that stands at `from` of `values` is, or would be. */
  #slotOf(values: Int32Array, from: number): number {
    const width = this.#width;
    let hash = this.#seed;
    for (let at = 0; at < width; at++) {
      hash = Math.imul(hash ^ values[from + at], 0x9e3779b1);
      hash ^= hash >>> 15;
    }
    const last = this.#slots.length - 1;
    for (let slot = hash & last; ; slot = (slot + 1) & last) {
      const known = this.#slots[slot];
      if (known === 0 || this.#isEqual(values, from, (known - 1) * width)) return slot;
    }
  }

  #isEqual(values: Int32Array, from: number, row: number): boolean {
    for (let at = 0; at < this.#width; at++)
      if (values[from + at] !== this.#rows[row + at]) return false;
    return true;
  }

  #grow(): void {
    this.#slots = new Int32Array(this.#slots.length * 2);
    const rows = this.#rows;
    this.#rows = new Int32Array(rows.length * 2);
    this.#rows.set(rows);
    for (let row = 0; row < this.count; row++)
      this.#slots[this.#slotOf(rows, row * this.#width)] = row + 1;
  }
}
