import { closeSync, constants, fstatSync, openSync } from 'node:fs';
import { endianness } from 'node:os';
import { readAt } from '../content/read-at.ts';
import { pageSizeOf } from './page-file.ts';

/**
 * What SQLite takes from a `-wal` file and what it leaves, found as SQLite finds it:
 * https://www.sqlite.org/fileformat.html §4, walIndexRecover() in wal.c. It ignores everything behind
 * the first frame that is not right, and everything behind the last commit, without a word.
 */
export interface WalContent {
  /** Whether the log's own head can be used; else SQLite takes nothing from it. */
  readonly hasHead: boolean;
  readonly pageBytes: number;
  /** Identify this run of the log, as they stand in its head. */
  readonly salts: Buffer;
  /** Frames, a page each, in the file; without one that is cut. */
  readonly frames: number;
  /** Frames that SQLite reads: up to the last commit before anything wrong. */
  readonly read: number;
  /** Frames of this run behind those, in a write that has no end here. */
  readonly unfinished: number;
  /** Whether a write that was finished, or bytes that nobody wrote so, stand behind what is read. */
  readonly isDamaged: boolean;
  /** Page 1 of the database, where the log has it. */
  readonly firstPage: Buffer | undefined;
}

const HEAD_BYTES = 32;
const FRAME_HEAD_BYTES = 24;
const MAGIC = 0x377f0682;
const VERSION = 3007000;
/** Runs of one log that may have left frames in it: each adds 1 to the first salt. */
const MAX_RUNS = 2 ** 20;

type Sums = readonly [number, number];

/** Reads the log at `path`, bounded by its size. Throws errno. */
export function readWal(path: string): WalContent {
  const descriptor = openSync(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
  try {
    const head = readHead(descriptor);
    return head === undefined ? NOTHING : readFrames(descriptor, head);
  } finally {
    closeSync(descriptor);
  }
}

const NOTHING: WalContent = {
  hasHead: false,
  pageBytes: 0,
  salts: Buffer.alloc(0),
  frames: 0,
  read: 0,
  unfinished: 0,
  isDamaged: true,
  firstPage: undefined,
};

interface Head {
  readonly pageBytes: number;
  readonly salts: Buffer;
  readonly sums: Sums;
  /** Whether the sums are over numbers in this machine's order of bytes. */
  readonly swapped: boolean;
}

function readHead(descriptor: number): Head | undefined {
  const bytes = readAt(descriptor, 0, HEAD_BYTES);
  if (bytes.length < HEAD_BYTES) return undefined;
  const magic = bytes.readUInt32BE(0);
  const pageBytes = pageSizeOf(bytes.readUInt32BE(8));
  if ((magic & ~1) !== MAGIC || pageBytes === undefined || pageBytes > 65_536) return undefined;
  const swapped = ((magic & 1) === 1) !== (endianness() === 'BE');
  const sums = addUp([0, 0], bytes.subarray(0, 24), swapped);
  if (!isAt(bytes, 24, sums) || bytes.readUInt32BE(4) !== VERSION) return undefined;
  return { pageBytes, salts: bytes.subarray(16, 24), sums, swapped };
}

function readFrames(descriptor: number, head: Head): WalContent {
  const frameBytes = FRAME_HEAD_BYTES + head.pageBytes;
  const size = fstatSync(descriptor).size - HEAD_BYTES;
  const frames = Math.floor(size / frameBytes);
  const positionOf = (frame: number) => HEAD_BYTES + frame * frameBytes;
  let sums = head.sums;
  let valid = 0;
  let read = 0;
  let pendingFirst = -1;
  let first = -1;
  for (; valid < frames; valid++) {
    const bytes = readAt(descriptor, positionOf(valid), frameBytes);
    const page = bytes.length === frameBytes ? bytes.readUInt32BE(0) : 0;
    if (page === 0 || !bytes.subarray(8, 16).equals(head.salts)) break;
    const next = addUp(
      addUp(sums, bytes.subarray(0, 8), head.swapped),
      bytes.subarray(FRAME_HEAD_BYTES),
      head.swapped,
    );
    if (!isAt(bytes, 16, next)) break;
    sums = next;
    if (page === 1) pendingFirst = valid;
    if (bytes.readUInt32BE(4) === 0) continue;
    read = valid + 1;
    first = pendingFirst;
  }
  const rest = readRest(descriptor, head, { valid, frames, positionOf });
  return {
    hasHead: true,
    pageBytes: head.pageBytes,
    salts: head.salts,
    frames,
    read,
    unfinished: valid - read + rest.unfinished,
    isDamaged: rest.isDamaged,
    firstPage:
      first < 0
        ? undefined
        : readAt(descriptor, positionOf(first) + FRAME_HEAD_BYTES, head.pageBytes),
  };
}

interface Rest {
  readonly valid: number;
  readonly frames: number;
  positionOf(frame: number): number;
}

/** What stands behind the last frame that is right. Frames of an earlier run of the log are left there on purpose. */
function readRest(descriptor: number, head: Head, { valid, frames, positionOf }: Rest) {
  let unfinished = 0;
  let isDamaged = false;
  // One more than there are whole ones: what is cut ends the file.
  for (let frame = valid; frame <= frames; frame++) {
    const bytes = readAt(descriptor, positionOf(frame), FRAME_HEAD_BYTES);
    if (bytes.length === 0) break;
    const salts = bytes.subarray(8, 16);
    if (isEarlier(salts, head.salts)) continue;
    unfinished++;
    // One that a rollback left has no end either: a commit does, and so it was lost.
    const isCut = frame === frames;
    const isCommit = bytes.length === FRAME_HEAD_BYTES && bytes.readUInt32BE(4) !== 0;
    isDamaged ||= isCut || isCommit || !salts.equals(head.salts);
  }
  return { unfinished, isDamaged };
}

/** Each run of a log counts its first salt up and draws its second anew. */
function isEarlier(salts: Buffer, now: Buffer): boolean {
  if (salts.length < 8) return false;
  const runsAgo = (now.readUInt32BE(0) - salts.readUInt32BE(0)) >>> 0;
  return runsAgo > 0 && runsAgo < MAX_RUNS && salts.readUInt32BE(4) !== now.readUInt32BE(4);
}

/** §4.2: over pairs of 32-bit numbers, in the order of bytes that the head says. */
function addUp([first, second]: Sums, bytes: Buffer, swapped: boolean): Sums {
  const isReadable = !swapped && bytes.byteOffset % 4 === 0;
  const words = isReadable ? bytes : Buffer.from(new Uint8Array(bytes).buffer);
  if (swapped) words.swap32();
  const numbers = new Int32Array(words.buffer, words.byteOffset, bytes.length / 4);
  let [one, two] = [first | 0, second | 0];
  for (let at = 0; at < numbers.length; at += 2) {
    one = (one + (numbers[at] as number) + two) | 0;
    two = (two + (numbers[at + 1] as number) + one) | 0;
  }
  return [one, two];
}

function isAt(bytes: Buffer, at: number, [first, second]: Sums): boolean {
  return bytes.readInt32BE(at) === first && bytes.readInt32BE(at + 4) === second;
}
