import { NONE } from '../../../shared/model/schema.ts';
import { cleanText, MAX_SYMBOL_LENGTH } from '../../../shared/text/text.ts';
import type { Cell } from '../../sqlite/row-query.ts';
import { type ExportTables, integerOr, textOf } from './export-tables.ts';

/** `cudaMemcpyAsync_v3020`: since which version of CUDA the call is what it is. */
const CUDA_VERSION = /_v\d+$/;
/** Of a memo: 4 MB. */
const MOST_KEPT = 2 ** 20;
export const NOT_KNOWN = '(not known)';

/** The texts of an export, by the numbers that its rows name them by. */
export class ExportStrings {
  readonly #texts = new Map<number, string>();
  /** Those that were asked for: many rows name the same. */
  readonly #cleaned = new Map<number, string>();

  constructor(tables: ExportTables) {
    const columns = ['id', textOf('value', MAX_SYMBOL_LENGTH + 1)];
    for (const [id, value] of tables.rows('StringIds', columns)) {
      const number = integerOr(id, undefined);
      if (number !== undefined && typeof value === 'string') this.#texts.set(number, value);
    }
  }

  /**
   * Remembers a number for each text, by the text's own; NONE = not yet. Of a million rows each names one: an array is
   * asked several times as fast as a map. Texts whose numbers are large are not remembered.
   */
  memo(): Int32Array {
    let length = 0;
    for (const id of this.#texts.keys()) if (id >= length && id < MOST_KEPT) length = id + 1;
    return new Int32Array(length).fill(NONE);
  }

  /** Cleaned; undefined where there is none. */
  find(id: Cell | undefined): string | undefined {
    if (typeof id !== 'number') return undefined;
    const known = this.#cleaned.get(id);
    if (known !== undefined) return known;
    const text = this.#texts.get(id);
    if (text === undefined) return undefined;
    const cleaned = cleanText(text, MAX_SYMBOL_LENGTH);
    this.#cleaned.set(id, cleaned);
    return cleaned;
  }

  of(id: Cell | undefined): string {
    return this.find(id) ?? NOT_KNOWN;
  }

  /** The name of a call without the version of its interface. */
  call(id: Cell | undefined): string {
    return this.of(id).replace(CUDA_VERSION, '');
  }
}
