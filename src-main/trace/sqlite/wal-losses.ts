import { closeSync, openSync, readSync, rmSync } from 'node:fs';
import type { Notice } from '../../shared/model/trace.ts';
import { formatCount, plural } from '../../shared/text/units.ts';
import type { DatabaseFile } from './database-header.ts';
import { readWal, type WalContent } from './read-wal.ts';
import { readWalIndex, type WalIndex } from './read-wal-index.ts';

const COPY_AGAIN = 'Copy both files again from where they were recorded.';

/**
 * What SQLite leaves out of the log beside the private copy at `path`, where it would say nothing: each
 * a `warning`, but an `info` where it may well be what the recorder had not finished. A log that can't
 * be the file's own is removed from the copy. `index` is what stood beside the log before it was copied.
 */
export function walLosses(
  file: Pick<DatabaseFile, 'name'>,
  path: string,
  index: WalIndex | undefined,
): Notice[] {
  const log = `“${file.name}-wal”`;
  const wal = readWal(`${path}-wal`);
  const foreign = wal.hasHead && isForeign(wal, readStart(path));
  // SQLite refuses to open a database beside a log of another version.
  if (foreign || !wal.hasHead) rmSync(`${path}-wal`);
  if (foreign)
    return [
      warning(
        `${log} is the log of another file, or of an older one, and is not read: what was recorded last may be missing. ${COPY_AGAIN}`,
      ),
    ];
  if (!wal.hasHead)
    return [
      warning(
        `${log} can’t be read, because its first bytes are damaged: what was recorded last may be missing. ${COPY_AGAIN}`,
      ),
    ];
  return lossesOf(log, wal, index);
}

function lossesOf(log: string, wal: WalContent, index: WalIndex | undefined): Notice[] {
  const known = index?.salts.equals(wal.salts) === true ? index.frames : 0;
  if (wal.isDamaged || known > wal.read) {
    const all = Math.max(known, wal.frames);
    return [
      warning(
        `Of ${plural(all, 'page')} in ${log} only ${formatCount(wal.read)} can be read, because it is damaged or was cut: what was recorded last may be missing. ${COPY_AGAIN}`,
      ),
    ];
  }
  if (wal.unfinished === 0) return [];
  const text = `The last write in ${log} has no end (${plural(wal.unfinished, 'page')}) and is left out: its recorder was stopped during this write or is still writing, or the file was cut.`;
  return [{ level: 'info', text }];
}

/** What is known to be lost of a log that is not there, or empty, from the index that was left beside it. */
export function lostWal(file: Pick<DatabaseFile, 'name' | 'path'>): Notice[] {
  const index = readWalIndex(`${file.path}-shm`);
  const lost = index === undefined ? 0 : index.frames - index.checkedIn;
  if (lost <= 0) return [];
  return [
    warning(
      `“${file.name}-wal” is empty or gone with ${plural(lost, 'page')} of this trace: what was recorded last is missing. ${COPY_AGAIN}`,
    ),
  ];
}

function warning(text: string): Notice {
  return { level: 'warning', text };
}

/** Offsets of numbers in the header that only grow, https://www.sqlite.org/fileformat.html §1.3 */
const CHANGES = 24;
const SCHEMA_CHANGES = 40;
const ENCODING = 56;
const APPLICATION = 68;
const PAGE_SIZE = 16;

/** A log's newest first page is never older than the database's own. */
function isForeign({ pageBytes, firstPage }: WalContent, head: Buffer): boolean {
  if (head.length < 100) return false;
  const stored = head.readUInt16BE(PAGE_SIZE);
  if ((stored === 1 ? 65_536 : stored) !== pageBytes) return true;
  if (firstPage === undefined) return false;
  const now = (at: number) => firstPage.readUInt32BE(at);
  const before = (at: number) => head.readUInt32BE(at);
  if ([CHANGES, SCHEMA_CHANGES].some((at) => now(at) < before(at))) return true;
  return [ENCODING, APPLICATION].some((at) => before(at) !== 0 && now(at) !== before(at));
}

function readStart(path: string): Buffer {
  const descriptor = openSync(path, 'r');
  try {
    const bytes = Buffer.alloc(100);
    return bytes.subarray(0, readSync(descriptor, bytes, 0, bytes.length, 0));
  } finally {
    closeSync(descriptor);
  }
}
