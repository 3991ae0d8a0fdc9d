import { cleanText, MAX_SYMBOL_LENGTH } from '../../../shared/text/text.ts';
import type { Cell } from '../../sqlite/row-query.ts';
import { type ExportTables, integerOr, textOf } from './export-tables.ts';

/** `cudaMemcpyAsync_v3020`: since which version of CUDA the call is what it is. */
const CUDA_VERSION = /_v\d+$/;
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
