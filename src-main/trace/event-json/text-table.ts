import type { ScannedTexts } from '../../native/event-scan.ts';
import { MAX_NAMES } from '../../shared/model/schema.ts';
import { MAX_NAME_LENGTH } from '../../shared/text/text.ts';

/** Of a longer text so many bytes are looked at: it is cut to fewer characters anyway. */
const MAX_TEXT_BYTES = 4 * MAX_NAME_LENGTH;
/** All texts together: no trace has names of more. */
const MAX_BYTES = 2 ** 27;
const BACKSLASH = 0x5c;

/** A table that is half empty needs a handful: only texts chosen to collide need more, and are not told apart. */
const MAX_PROBES = 512;

/** The texts of a file, each made into a string once: a file repeats the same few a million times. */
export class TextTable {
  readonly texts: string[] = [];
  #bytes = Buffer.alloc(2 ** 16);
  #used = 0;
  /** By number, where its bytes begin; the last is where they end. */
  #starts = new Uint32Array(1024);
  /** Open addressing: number + 1, 0 = free. */
  #slots = new Int32Array(4096);
  #leftOut = -1;

  /** The number of the JSON text between the quotes at `from` - 1 and `to`. */
  numberOf(bytes: Uint8Array, from: number, to: number): number {
    const end = Math.min(to, from + MAX_TEXT_BYTES);
    const slots = this.#slots;
    const mask = slots.length - 1;
    let slot = hashOf(bytes, from, end) & mask;
    for (let probe = 0; slots[slot] !== 0; slot = (slot + 1) & mask) {
      if (this.#isSame(slots[slot] - 1, bytes, from, end)) return slots[slot] - 1;
      if (++probe === MAX_PROBES) return this.#left();
    }
    return this.#add(bytes, from, end, slot);
  }

  /** As native code looks texts up: the arrays are others once a text was added. */
  get arrays(): ScannedTexts {
    return { bytes: this.#bytes, starts: this.#starts, slots: this.#slots };
  }

  /** The number of a text that does not stand in the file as it is. */
  numberOfText(text: string): number {
    const escaped = Buffer.from(JSON.stringify(text));
    return this.numberOf(escaped, 1, escaped.length - 1);
  }

  #isSame(number: number, bytes: Uint8Array, from: number, end: number): boolean {
    const start = this.#starts[number];
    const length = end - from;
    if (this.#starts[number + 1] - start !== length) return false;
    const own = this.#bytes;
    for (let at = 0; at < length; at++) if (own[start + at] !== bytes[from + at]) return false;
    return true;
  }

  #add(bytes: Uint8Array, from: number, end: number, slot: number): number {
    const length = end - from;
    const number = this.texts.length;
    if (number >= MAX_NAMES || this.#used + length > MAX_BYTES) return this.#left();
    if (this.#used + length > this.#bytes.length) {
      const larger = Buffer.alloc(Math.max(2 * this.#bytes.length, this.#used + length));
      this.#bytes.copy(larger, 0, 0, this.#used);
      this.#bytes = larger;
    }
    this.#bytes.set(bytes.subarray(from, end), this.#used);
    this.#used += length;
    if (number + 1 === this.#starts.length) this.#grow();
    this.#starts[number + 1] = this.#used;
    this.texts.push(textOf(bytes, from, end));
    this.#slots[slot] = number + 1;
    if (2 * this.texts.length > this.#slots.length) this.#rehash();
    return number;
  }

  /** The number that all texts have for which there is no room. */
  #left(): number {
    if (this.#leftOut < 0) {
      this.#leftOut = this.texts.push('(not known)') - 1;
      if (this.#leftOut + 1 === this.#starts.length) this.#grow();
      this.#starts[this.#leftOut + 1] = this.#used;
    }
    return this.#leftOut;
  }

  #grow(): void {
    const starts = new Uint32Array(2 * this.#starts.length);
    starts.set(this.#starts);
    this.#starts = starts;
  }

  #rehash(): void {
    const slots = new Int32Array(2 * this.#slots.length);
    const mask = slots.length - 1;
    for (let number = 0; number < this.texts.length; number++) {
      if (number === this.#leftOut) continue;
      let slot = hashOf(this.#bytes, this.#starts[number], this.#starts[number + 1]) & mask;
      while (slots[slot] !== 0) slot = (slot + 1) & mask;
      slots[slot] = number + 1;
    }
    this.#slots = slots;
  }
}

/** FNV-1a, the high half folded into the low one. */
function hashOf(bytes: Uint8Array, from: number, end: number): number {
  let hash = 0x811c9dc5;
  for (let at = from; at < end; at++) hash = Math.imul(hash ^ bytes[at], 0x01000193);
  return hash ^ (hash >>> 15);
}

/** The string of a JSON text; where its escapes are none, as it stands. */
export function textOf(bytes: Uint8Array, from: number, end: number): string {
  const raw = Buffer.from(bytes.buffer, bytes.byteOffset + from, end - from);
  const text = raw.toString('utf8');
  if (!raw.includes(BACKSLASH)) return text;
  try {
    return String(JSON.parse(`"${text}"`));
  } catch {
    return text;
  }
}
