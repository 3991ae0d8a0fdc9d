import type { NameBuilder } from '../build/names.ts';
import type { TextTable } from './text-table.ts';

/** The names of a trace that texts of the file become, of one source: each is looked up once. */
export class SourceNames {
  readonly #texts: TextTable;
  readonly #names: NameBuilder;
  readonly #source: string;
  readonly #otherwise: string;
  /** By number of the text, that of the name + 1; 0 = not looked up yet. */
  #known = new Int32Array(256);

  /** `otherwise`: the name of an event that has none. */
  constructor(texts: TextTable, names: NameBuilder, source: string, otherwise: string) {
    this.#texts = texts;
    this.#names = names;
    this.#source = source;
    this.#otherwise = otherwise;
  }

  of(text: number): number {
    if (text < 0) return this.#names.add(this.#otherwise, this.#source);
    if (text >= this.#known.length) {
      const larger = new Int32Array(2 * text);
      larger.set(this.#known);
      this.#known = larger;
    }
    const known = this.#known[text] - 1;
    if (known >= 0) return known;
    const name = this.#names.add(this.#texts.texts[text] ?? this.#otherwise, this.#source);
    this.#known[text] = name + 1;
    return name;
  }
}
