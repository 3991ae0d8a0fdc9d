import type { PageFile } from './page-file.ts';
import { DamagedTree } from './table-rows.ts';

const INTERIOR_INDEX = 2;
const INTERIOR_TABLE = 5;
const HEAD_BYTES = 12;

/**
 * Whether each page is in one place of one of the b-trees that begin at `roots`. SQLite does not look: of 20
 * pages that each lead 60 times to the next, it reads 60^20. What else may be wrong it finds by itself.
 * Reads the pages that lead to others, and one byte of each other page. Throws DamagedTree.
 */
export function checkTrees(file: PageFile, roots: readonly number[]): void {
  const seen = new Uint8Array(file.pages + 1);
  const open = [1, ...roots];
  for (let page = open.pop(); page !== undefined; page = open.pop()) {
    if (page < 1 || page > file.pages) continue;
    if (seen[page] === 1) throw new DamagedTree(`page ${page} is used twice`);
    seen[page] = 1;
    const kind = file.kindOf(page);
    if (kind === INTERIOR_TABLE || kind === INTERIOR_INDEX)
      for (const child of children(file, page)) open.push(child);
  }
}

function* children(file: PageFile, number: number): Generator<number> {
  const bytes = file.read(number);
  if (bytes === undefined) return;
  const head = number === 1 ? 100 : 0;
  yield bytes.readUInt32BE(head + 8);
  const cells = bytes.readUInt16BE(head + 3);
  for (let cell = 0; cell < cells; cell++) {
    const pointer = head + HEAD_BYTES + 2 * cell;
    const at = pointer + 2 <= bytes.length ? bytes.readUInt16BE(pointer) : bytes.length;
    if (at + 4 <= bytes.length) yield bytes.readUInt32BE(at);
  }
}
