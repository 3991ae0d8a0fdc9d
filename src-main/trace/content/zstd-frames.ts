import { PackedWrong } from './packed-wrong.ts';
import { readAt } from './read-at.ts';

/** One frame of a zstd file, without what a reader leaves out. */
export interface ZstdFrame {
  readonly start: number;
  /** Of the first byte behind it. */
  readonly end: number;
}

const MAGIC = 0xfd2fb528;
/** The low four bits are anybody's. */
const SKIPPABLE_MAGIC = 0x184d2a50;
const LARGEST_HEADER_BYTES = 18;
/** A parallel compressor makes one frame of some MiB, a seekable file one of 128 KiB at least. */
const MAX_FRAMES = 1_000_000;

/**
 * Where the frames of the zstd file `descriptor` lie, as RFC 8878 §3.1 has it. Node's decompressor ends
 * silently with the first frame, and several make one file: of `pzstd`, and of files put one behind the other.
 * `keepsCut`: where the file is cut off within its last frame, what is there of it is one too.
 */
export function* zstdFrames(
  descriptor: number,
  sizeBytes: number,
  keepsCut = false,
): Generator<ZstdFrame> {
  let position = 0;
  for (let count = 0; position < sizeBytes; count++) {
    if (count === MAX_FRAMES) throw new PackedWrong('frames', `${count} frames`);
    const header = readAt(descriptor, position, LARGEST_HEADER_BYTES);
    if (header.length < 8) {
      if (keepsCut && position > 0) return;
      throw cut(position === 0, sizeBytes);
    }
    const magic = header.readUInt32LE(0);
    if ((magic & 0xfffffff0) >>> 0 === SKIPPABLE_MAGIC) {
      position += 8 + header.readUInt32LE(4);
      continue;
    }
    if (magic !== MAGIC) throw new PackedWrong('trailing', `no frame at byte ${position}`);
    const end =
      frameEnd(descriptor, position, header, sizeBytes) ?? (keepsCut ? sizeBytes : undefined);
    if (end === undefined) throw cut(true, sizeBytes);
    yield { start: position, end };
    position = end;
  }
  if (position > sizeBytes && !keepsCut) throw cut(true, sizeBytes);
}

/** Bytes of the fields that the frame header's descriptor announces, RFC 8878 §3.1.1.1.1. */
const DICTIONARY_ID_BYTES = [0, 1, 2, 4];
const CONTENT_SIZE_BYTES = [0, 2, 4, 8];

function headerBytes(descriptor: number): number {
  const isSingleSegment = (descriptor & 0x20) !== 0;
  const sizeFlag = descriptor >> 6;
  const contentSize = sizeFlag === 0 && isSingleSegment ? 1 : (CONTENT_SIZE_BYTES[sizeFlag] ?? 0);
  const dictionaryId = DICTIONARY_ID_BYTES[descriptor & 3] ?? 0;
  return 5 + (isSingleSegment ? 0 : 1) + dictionaryId + contentSize;
}

const RUN_BLOCK = 1;

/** Walks from block to block: each says in three bytes how long it is. Undefined where the file ends before. */
function frameEnd(
  descriptor: number,
  start: number,
  header: Buffer,
  sizeBytes: number,
): number | undefined {
  const flags = header[4] ?? 0;
  let position = start + headerBytes(flags);
  for (;;) {
    const block = readAt(descriptor, position, 3);
    if (block.length < 3) return undefined;
    const word = block.readUIntLE(0, 3);
    const isLast = (word & 1) !== 0;
    const kind = (word >> 1) & 3;
    position += 3 + (kind === RUN_BLOCK ? 1 : word >> 3);
    if (isLast) break;
  }
  const checksumBytes = (flags & 4) === 0 ? 0 : 4;
  const end = position + checksumBytes;
  return end > sizeBytes ? undefined : end;
}

/** Too few bytes for another frame behind a whole one are none of it. */
function cut(isInFrame: boolean, sizeBytes: number): PackedWrong {
  return new PackedWrong(isInFrame ? 'cut' : 'trailing', `the file ends at byte ${sizeBytes}`);
}
