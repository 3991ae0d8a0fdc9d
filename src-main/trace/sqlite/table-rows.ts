import type { PageFile } from './page-file.ts';

/**
 * The rows of a table, read without SQLite and in a bounded number of steps, whatever the file holds:
 * its b-tree, https://www.sqlite.org/fileformat.html §1.6.
 */

export interface RowLimits {
  readonly rows: number;
  /** Of all rows together. */
  readonly bytes: number;
}

/** The b-tree is none that SQLite writes. */
export class DamagedTree extends Error {}
/** The table has more than the limits allow. */
export class TooMuch extends Error {}

const INTERIOR = 5;
const LEAF = 13;
/** SQLite goes no deeper, BTCURSOR_MAX_DEPTH. */
const MAX_DEPTH = 20;

interface TreePage {
  readonly bytes: Buffer;
  readonly kind: number;
  /** Where the page's own head begins: behind the file's on page 1. */
  readonly head: number;
  readonly cells: number;
}

/** The records of the table whose b-tree has its root at `root`, whole. Throws DamagedTree, TooMuch. */
export function* tableRows(file: PageFile, root: number, limits: RowLimits): Generator<Buffer> {
  let rows = 0;
  let bytes = 0;
  for (const page of leafPages(file, root)) {
    rows += page.cells;
    if (rows > limits.rows) throw new TooMuch(`more than ${limits.rows} rows`);
    for (let cell = 0; cell < page.cells; cell++) {
      const at = cellPosition(file, page, cell, 2);
      const [length, afterLength] = varint(page.bytes, at);
      bytes += length;
      if (bytes > limits.bytes) throw new TooMuch(`more than ${limits.bytes} bytes`);
      const [, begin] = varint(page.bytes, afterLength);
      yield payload(file, page.bytes, begin, length);
    }
  }
}

/** Every leaf has a row: SQLite takes an empty page below the root for damage. So rows bound the pages. */
function* leafPages(file: PageFile, root: number): Generator<TreePage> {
  const seen = new Set<number>();
  const open = [{ number: root, depth: 1 }];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const { number, depth } = next;
    if (seen.has(number)) throw new DamagedTree(`page ${number} is used twice`);
    if (depth > MAX_DEPTH) throw new DamagedTree(`page ${number} is ${depth} pages deep`);
    seen.add(number);
    const page = readTreePage(file, number);
    if (page.cells === 0 && depth > 1) throw new DamagedTree(`page ${number} is empty`);
    if (page.kind === LEAF) yield page;
    else for (const child of children(file, page)) open.push({ number: child, depth: depth + 1 });
  }
}

function readTreePage(file: PageFile, number: number): TreePage {
  const bytes = file.read(number);
  if (bytes === undefined) throw new DamagedTree(`page ${number} is not in the file`);
  const head = number === 1 ? 100 : 0;
  const kind = bytes.readUInt8(head);
  if (kind !== INTERIOR && kind !== LEAF)
    throw new DamagedTree(`page ${number} is of no table (kind ${kind})`);
  return { bytes, kind, head, cells: bytes.readUInt16BE(head + 3) };
}

/** The last child first, so that the first is taken from the stack first. */
function* children(file: PageFile, page: TreePage): Generator<number> {
  yield page.bytes.readUInt32BE(page.head + 8);
  for (let cell = page.cells - 1; cell >= 0; cell--)
    yield page.bytes.readUInt32BE(cellPosition(file, page, cell, 4));
}

function cellPosition(file: PageFile, page: TreePage, cell: number, leastBytes: number): number {
  const pointer = page.head + (page.kind === LEAF ? 8 : 12) + 2 * cell;
  const at = pointer + 2 <= file.usableBytes ? page.bytes.readUInt16BE(pointer) : 0;
  if (at <= page.head || at + leastBytes > file.usableBytes)
    throw new DamagedTree(`cell ${cell} of ${page.cells} is outside its page`);
  return at;
}

/** A number of 1 to 9 bytes and where it ends; inexact beyond 2^53, which no limit lets pass. */
export function varint(bytes: Buffer, at: number): [value: number, end: number] {
  let value = 0;
  for (let index = 0; index < 8; index++) {
    const byte = bytes[at + index];
    if (byte === undefined) throw new DamagedTree('a number goes beyond its page');
    value = value * 128 + (byte & 127);
    if (byte < 128) return [value, at + index + 1];
  }
  return [value * 256 + (bytes[at + 8] ?? 0), at + 9];
}

/** The record of `length` bytes that begins in a leaf; of a long one most is on overflow pages, §1.6. */
function payload(file: PageFile, page: Buffer, begin: number, length: number): Buffer {
  const { usableBytes } = file;
  const most = usableBytes - 35;
  const least = Math.floor(((usableBytes - 12) * 32) / 255) - 23;
  const wanted = least + ((length - least) % (usableBytes - 4));
  const local = length <= most ? length : wanted <= most ? wanted : least;
  if (begin + local > usableBytes) throw new DamagedTree('a row goes beyond its page');
  const parts = [page.subarray(begin, begin + local)];
  if (local < length && begin + local + 4 > usableBytes)
    throw new DamagedTree('a row goes beyond its page');
  let next = local < length ? page.readUInt32BE(begin + local) : 0;
  for (let left = length - local; left > 0; left -= usableBytes - 4) {
    const overflow = file.read(next);
    if (overflow === undefined) throw new DamagedTree(`page ${next} is not in the file`);
    next = overflow.readUInt32BE(0);
    parts.push(overflow.subarray(4, 4 + Math.min(left, usableBytes - 4)));
  }
  return Buffer.concat(parts);
}
