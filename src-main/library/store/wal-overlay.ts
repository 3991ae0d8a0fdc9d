/**
 * A database file with what its write-ahead log adds, in memory: how a library on a disk that can't
 * be written is read, where SQLite itself would have to create files beside it.
 * Layout: https://www.sqlite.org/fileformat2.html#the_write_ahead_log
 */

const WAL_HEADER = 32;
const FRAME_HEADER = 24;
const MAGIC_LITTLE = 0x377f0682;
const MAGIC_BIG = 0x377f0683;

/** May change `database` in place. */
export function overlayWal(database: Buffer, wal: Buffer): Buffer {
  const pages = committedPages(wal);
  const image = pages === undefined ? database : applyPages(database, wal, pages);
  return standAlone(image);
}

/** Read and write version 1: no log any more. A database in memory can't have one. Changes `image`. */
export function standAlone(image: Buffer): Buffer {
  if (image.length >= 20 && image[18] === 2) image.fill(1, 18, 20);
  return image;
}

interface CommittedPages {
  readonly pageSize: number;
  readonly pageCount: number;
  /** Of each page the offset of its last content in the log. */
  readonly offsets: ReadonlyMap<number, number>;
}

/** Frames count up to the last that ends a transaction, as far as salts and checksums are right. */
function committedPages(wal: Buffer): CommittedPages | undefined {
  if (wal.length < WAL_HEADER) return undefined;
  const magic = wal.readUInt32BE(0);
  if (magic !== MAGIC_LITTLE && magic !== MAGIC_BIG) return undefined;
  const add = checksum(magic === MAGIC_BIG);
  const pageSize = wal.readUInt32BE(8);
  let sum = add([0, 0], wal.subarray(0, 24));
  if (!isSum(wal, 24, sum)) return undefined;
  const pending = new Map<number, number>();
  const offsets = new Map<number, number>();
  let pageCount = 0;
  const frame = FRAME_HEADER + pageSize;
  for (let at = WAL_HEADER; at + frame <= wal.length; at += frame) {
    if (!wal.subarray(at + 8, at + 16).equals(wal.subarray(16, 24))) break;
    sum = add(sum, wal.subarray(at, at + 8));
    sum = add(sum, wal.subarray(at + FRAME_HEADER, at + frame));
    if (!isSum(wal, at + 16, sum)) break;
    pending.set(wal.readUInt32BE(at), at + FRAME_HEADER);
    const sizeAfterCommit = wal.readUInt32BE(at + 4);
    if (sizeAfterCommit === 0) continue;
    pageCount = sizeAfterCommit;
    for (const [page, offset] of pending) offsets.set(page, offset);
    pending.clear();
  }
  return pageCount === 0 ? undefined : { pageSize, pageCount, offsets };
}

type Sum = readonly [number, number];

function checksum(bigEndian: boolean): (sum: Sum, bytes: Buffer) => Sum {
  return ([first, second], bytes) => {
    for (let at = 0; at < bytes.length; at += 8) {
      const low = bigEndian ? bytes.readUInt32BE(at) : bytes.readUInt32LE(at);
      const high = bigEndian ? bytes.readUInt32BE(at + 4) : bytes.readUInt32LE(at + 4);
      first = (first + low + second) >>> 0;
      second = (second + high + first) >>> 0;
    }
    return [first, second];
  };
}

function isSum(wal: Buffer, at: number, [first, second]: Sum): boolean {
  return wal.readUInt32BE(at) === first && wal.readUInt32BE(at + 4) === second;
}

function applyPages(
  database: Buffer,
  wal: Buffer,
  { pageSize, pageCount, offsets }: CommittedPages,
): Buffer {
  const image = Buffer.alloc(pageSize * pageCount);
  database.copy(image);
  for (const [page, offset] of offsets) {
    if (page <= pageCount) wal.copy(image, (page - 1) * pageSize, offset, offset + pageSize);
  }
  return image;
}
