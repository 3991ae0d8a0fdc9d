const NOT_KNOWN = '(not known)';

/** The names of a trace, each with the source it belongs to; equal ones are one. */
export class NameBuilder {
  readonly texts: string[] = [];
  /** By the same index. */
  readonly sources: string[] = [];
  readonly #bySource = new Map<string, Map<string, number>>();

  /** The index of a name; `source` (CUDA, DRIVER, HOST, …) is empty for names that are no operations. */
  add(text: string, source = ''): number {
    const numbers = this.#numbersOf(source);
    const known = numbers.get(text);
    if (known !== undefined) return known;
    const number = this.texts.push(text) - 1;
    this.sources.push(source);
    numbers.set(text, number);
    return number;
  }

  /** The index of what a row has to have and the file does not explain. */
  addNotKnown(): number {
    return this.add(NOT_KNOWN);
  }

  #numbersOf(source: string): Map<string, number> {
    const known = this.#bySource.get(source);
    if (known !== undefined) return known;
    const numbers = new Map<string, number>();
    this.#bySource.set(source, numbers);
    return numbers;
  }
}
