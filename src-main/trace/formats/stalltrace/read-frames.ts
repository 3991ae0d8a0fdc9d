import { NONE } from '../../../shared/model/schema.ts';
import { cleanText, MAX_NAME_LENGTH, MAX_SYMBOL_LENGTH } from '../../../shared/text/text.ts';
import type { IdMap } from '../../build/id-map.ts';
import type { StackBuilder } from '../../build/stacks.ts';
import { KERNEL_FILE, withoutKernelAddress } from '../../files/kernel-addresses.ts';
import type { Cell } from '../../sqlite/row-query.ts';
import { countCell } from './cells.ts';
import type { ReadColumn } from './entity-rows.ts';

/** What every layout of a file says of a frame. */
export const frameColumns: readonly ReadColumn[] = [
  ['symbol', 'TEXT'],
  ['file', 'TEXT'],
  ['line', 'INTEGER'],
  ['language', 'TEXT'],
  ['address', 'INTEGER'],
];

/** Where ids of stacks lead. */
export interface StackPlaces {
  readonly ids: IdMap;
  /** By position of the id: row of the stacks; -1 = a stack without frames. */
  readonly rows: Int32Array;
  /** Rows of the file that could not be used. */
  readonly skipped: number;
}

const UNRESOLVED = '(not resolved)';

/** Gives the frames of a file to `builder`. */
export class FrameReader {
  readonly #builder: StackBuilder;
  /** Texts as they are in the file: most were there before, and need not be cleaned again. */
  readonly #symbols = new Map<string, number>();
  readonly #files = new Map<string, number>();

  constructor(builder: StackBuilder) {
    this.#builder = builder;
  }

  /** The number of the frame whose frameColumns stand at `from` of `cells`. */
  frameOf(cells: readonly Cell[], from: number): number {
    const [symbol, file, line, language] = [
      cells[from] ?? null,
      cells[from + 1],
      cells[from + 2],
      cells[from + 3],
    ];
    return this.#builder.frame(
      typeof symbol === 'string'
        ? this.#text(this.#symbols, symbol, MAX_SYMBOL_LENGTH)
        : this.#builder.text(symbolOfPlace(file, cells[from + 4])),
      typeof file === 'string' ? this.#text(this.#files, file, MAX_NAME_LENGTH) : NONE,
      countCell(line) ?? NONE,
      language === 'python' ? 'python' : 'native',
    );
  }

  #text(known: Map<string, number>, text: string, maxLength: number): number {
    const number =
      known.get(text) ?? this.#builder.text(withoutKernelAddress(cleanText(text, maxLength)));
    if (text.length <= MAX_NAME_LENGTH) known.set(text, number);
    return number;
  }
}

/** What stands for a function without a name. */
function symbolOfPlace(file: Cell | undefined, place: Cell | undefined): string {
  const address = countCell(place);
  if (address !== undefined) return `0x${address.toString(16)}`;
  // What the kernel's address is tells where the kernel lies: nothing of it is kept.
  return file === KERNEL_FILE ? KERNEL_FILE : UNRESOLVED;
}
