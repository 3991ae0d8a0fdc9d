import { NONE } from '../../shared/model/schema.ts';

const BITS = 32;

/**
 * Integers that lie close together, and the how manyth of them each is. A bit for each integer between the lowest and the
 * highest: that stays in a processor's cache where a hash table of millions does not.
 */
export class RankedIds {
  readonly #lowest: number;
  readonly #highest: number;
  readonly #bits: Int32Array;
  /** By word of `#bits`, how many there are in the words before. */
  readonly #ranks: Int32Array;

  /** None yet, of those that will lie between `lowest` and `highest`. */
  constructor(lowest: number, highest: number) {
    this.#lowest = lowest;
    this.#highest = highest;
    const words = Math.floor((highest - lowest) / BITS) + 1;
    this.#bits = new Int32Array(words);
    this.#ranks = new Int32Array(words);
  }

  /** Adds one; `rank` before the first question. */
  add(id: number): void {
    const at = id - this.#lowest;
    this.#bits[Math.floor(at / BITS)] |= 1 << at;
  }

  /** Ranks them all; how many there are. */
  rank(): number {
    let count = 0;
    for (let word = 0; word < this.#bits.length; word++) {
      this.#ranks[word] = count;
      count += bitsIn(this.#bits[word]);
    }
    return count;
  }

  /** How many are lower than `id`; NONE where it is none of them. */
  rankOf(id: number): number {
    if (id < this.#lowest || id > this.#highest) return NONE;
    const at = id - this.#lowest;
    const word = Math.floor(at / BITS);
    const bit = 1 << at;
    const bits = this.#bits[word];
    return (bits & bit) === 0 ? NONE : this.#ranks[word] + bitsIn(bits & (bit - 1));
  }
}

/** How many bits of a word are set: Hacker's Delight, 5-2. */
function bitsIn(word: number): number {
  const pairs = word - ((word >>> 1) & 0x55555555);
  const fours = (pairs & 0x33333333) + ((pairs >>> 2) & 0x33333333);
  return Math.imul((fours + (fours >>> 4)) & 0x0f0f0f0f, 0x01010101) >>> 24;
}
