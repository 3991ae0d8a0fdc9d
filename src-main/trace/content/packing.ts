/** How the bytes of a file are compressed as a whole. */
export type Packing = 'gzip' | 'zstd';

/** RFC 1952 §2.3.1: the magic number, and deflate, the only method there is. */
const GZIP = '1f8b08';
/** RFC 8878 §3.1.1. */
const ZSTD = '28b52ffd';
/** RFC 8878 §3.1.2: what a reader of zstd leaves out, as parallel compressors begin with. */
const ZSTD_SKIPPABLE = /^5[0-9a-f]2a4d18/;

/** By the first bytes of a file; undefined where it is not compressed, or in another way. */
export function packingOf(head: Buffer): Packing | undefined {
  const begin = head.toString('hex', 0, 4);
  if (begin.startsWith(GZIP)) return 'gzip';
  return begin === ZSTD || ZSTD_SKIPPABLE.test(begin) ? 'zstd' : undefined;
}

const SUFFIX = /\.(?:gz|gzip|zst|zstd)$/i;

/** `run.db.gz` → `run.db`: what a packed file's content is called, and nothing more is made of a name. */
export function unpackedName(name: string): string {
  const stem = name.replace(SUFFIX, '');
  return /^\.*$/.test(stem) ? 'trace.db' : stem;
}
