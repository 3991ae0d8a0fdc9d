import { closeSync, constants, fstatSync, openSync, readSync } from 'node:fs';
import { readAt } from '../content/read-at.ts';

/** The pages of a database, read without SQLite. https://www.sqlite.org/fileformat.html */
export interface PageFile {
  /** Bytes of a page that hold content: its size without what extensions reserve. */
  readonly usableBytes: number;
  readonly pages: number;
  readonly encoding: 'utf8' | 'utf-16le' | 'utf-16be';
  /** The whole page, the first being 1; `undefined` where the file has no such page. */
  read(page: number): Buffer | undefined;
  /** The first byte of a page of a b-tree, behind the file's own header on page 1. */
  kindOf(page: number): number;
  close(): void;
}

const encodings = ['utf8', 'utf8', 'utf-16le', 'utf-16be'] as const;
/** Offsets in the header, §1.3. */
const PAGE_SIZE = 16;
const RESERVED = 20;
const TEXT_ENCODING = 56;
const HEADER_BYTES = 100;
/** SQLite refuses a file that leaves less. */
const LEAST_USABLE = 480;

/** Opens the database at `path`; `undefined` where its header says no size of a page. Throws errno. */
export function openPageFile(path: string): PageFile | undefined {
  const descriptor = openSync(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
  const head = wholeAt(descriptor, 0, HEADER_BYTES);
  const pageBytes = head && pageSizeOf(head.readUInt16BE(PAGE_SIZE));
  const usableBytes = (pageBytes ?? 0) - (head?.[RESERVED] ?? 0);
  if (head === undefined || pageBytes === undefined || usableBytes < LEAST_USABLE) {
    closeSync(descriptor);
    return undefined;
  }
  const pages = Math.floor(fstatSync(descriptor).size / pageBytes);
  const kind = Buffer.alloc(1);
  return {
    usableBytes,
    pages,
    encoding: encodings[head.readUInt32BE(TEXT_ENCODING)] ?? 'utf8',
    read: (page) =>
      page >= 1 && page <= pages
        ? wholeAt(descriptor, (page - 1) * pageBytes, pageBytes)
        : undefined,
    kindOf(page) {
      const at = page === 1 ? HEADER_BYTES : (page - 1) * pageBytes;
      return readSync(descriptor, kind, 0, 1, at) === 1 ? (kind[0] ?? 0) : 0;
    },
    close: () => closeSync(descriptor),
  };
}

/** `undefined` for a size that no page has. */
export function pageSizeOf(stored: number): number | undefined {
  const pageBytes = stored === 1 ? 65_536 : stored;
  return pageBytes >= 512 && (pageBytes & (pageBytes - 1)) === 0 ? pageBytes : undefined;
}

function wholeAt(descriptor: number, position: number, length: number): Buffer | undefined {
  const bytes = readAt(descriptor, position, length);
  return bytes.length === length ? bytes : undefined;
}
