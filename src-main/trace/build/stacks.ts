import { NONE } from '../../shared/model/schema.ts';
import {
  type Frame,
  type FrameLanguage,
  frameLanguages,
  type Stacks,
} from '../../shared/model/stacks.ts';
import { cleanText, MAX_NAME_LENGTH } from '../../shared/text/text.ts';
import { longer } from './longer-array.ts';
import { RowNumbers } from './row-numbers.ts';

/** Deeper stacks keep so many frames. */
export const MAX_FRAMES_PER_STACK = 1024;

/** Characters of all symbols of a file longer than a name: beyond them they are cut like names. */
const MAX_LONG_SYMBOLS = 2 ** 24;

const MAX_LINE = 2 ** 31 - 1;

/** Puts the stacks of a file together: texts, frames and stacks that are equal are stored once. */
export class StackBuilder {
  readonly #texts: string[] = [];
  readonly #textNumbers = new Map<string, number>();
  #longCharacters = 0;
  readonly #frames = new RowNumbers(4);
  readonly #stacks = new RowNumbers(2);
  #depths = new Uint16Array(1024);

  /** How many stacks there are. */
  get count(): number {
    return this.#stacks.count;
  }

  /** The number of a symbol or file among the texts. */
  text(text: string): number {
    const known = this.#textNumbers.get(text);
    if (known !== undefined) return known;
    if (text.length > MAX_NAME_LENGTH) {
      if (this.#longCharacters + text.length > MAX_LONG_SYMBOLS) return this.text(cleanText(text));
      this.#longCharacters += text.length;
    }
    const number = this.#texts.push(text) - 1;
    this.#textNumbers.set(text, number);
    return number;
  }

  /** The number of a frame: `symbol` and `file` as numbers of texts, -1 = no file; -1 = no line. */
  frame(symbol: number, file: number, line: number, language: FrameLanguage): number {
    const known = line <= MAX_LINE ? line : NONE;
    return this.#frames.numberOf(symbol, file, known, frameLanguages.indexOf(language));
  }

  /** The stack in which `prefix` (-1 = none) called `frame`; one that is too deep is its caller. */
  stack(prefix: number, frame: number): number {
    const depth = prefix === NONE ? 1 : this.#depths[prefix] + 1;
    if (depth > MAX_FRAMES_PER_STACK) return prefix;
    const stack = this.#stacks.numberOf(prefix, frame);
    if (stack === this.#depths.length) this.#depths = longer(this.#depths, 2 * stack);
    this.#depths[stack] = depth;
    return stack;
  }

  /** The stack of these frames, leaf first, by their numbers; the outermost of too many are left out. */
  stackOf(frames: readonly number[]): number {
    let stack = NONE;
    for (let at = Math.min(frames.length, MAX_FRAMES_PER_STACK) - 1; at >= 0; at--)
      stack = this.stack(stack, frames[at]);
    return stack;
  }

  /** The stack of these frames, leaf first; -1 of none. */
  add(frames: readonly Frame[]): number {
    return this.stackOf(
      frames.map(({ symbol, file, line = NONE, language }) =>
        this.frame(this.text(symbol), file === undefined ? NONE : this.text(file), line, language),
      ),
    );
  }

  build(): Stacks {
    return {
      length: this.#stacks.count,
      prefix: this.#stacks.column(0),
      frame: this.#stacks.column(1),
      frames: {
        length: this.#frames.count,
        symbol: this.#frames.column(0),
        file: this.#frames.column(1),
        line: this.#frames.column(2),
        language: Uint8Array.from(this.#frames.column(3)),
      },
      texts: this.#texts,
    };
  }
}
