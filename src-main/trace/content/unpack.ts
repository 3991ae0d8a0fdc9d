import { createHash } from 'node:crypto';
import { type FileHandle, open, rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import { pipeline, Readable, type Transform } from 'node:stream';
import { constants, createGunzip, createZstdDecompress } from 'node:zlib';
import { fail, ok, type Result } from '../../shared/rpc/result.ts';
import type { Progress } from '../../shared/rpc/rpc.ts';
import type { TraceFileError } from '../../shared/rpc/trace-file-errors.ts';
import { formatBytes } from '../../shared/text/units.ts';
import { freeBytesIn, SPARE_BYTES } from '../../system/disk-room.ts';
import { openForReading } from '../../system/read-head.ts';
import { fileFailure } from './file-failure.ts';
import { PackedWrong, packedFailure } from './packed-wrong.ts';
import type { Packing } from './packing.ts';
import { HEAD_BYTES, type PlainFile } from './plain-file.ts';
import type { TraceCopy } from './trace-copy.ts';
import { type ZstdFrame, zstdFrames } from './zstd-frames.ts';

/** A file that is compressed as a whole. */
export interface PackedFile extends PlainFile {
  readonly packing: Packing;
  /** Of a file that is cut off: take what is there for all of it. */
  readonly keepsCut?: boolean;
}

/** How large a packed file may become: what it says of itself is its author's word. */
interface UnpackLimits {
  readonly bytes: number;
  /** What unpacks to more than `ratioFromBytes` and so many times its packed size is a bomb. */
  readonly ratio: number;
  readonly ratioFromBytes: number;
  /** Left free on the disk that is unpacked to. */
  readonly spareBytes: number;
}

/** Deflate packs zeros 1,030 times smaller, zstd 30,000 times; traces 2 to 20 times. */
export const unpackLimits: UnpackLimits = {
  bytes: 2 ** 40,
  ratio: 500,
  ratioFromBytes: 2 ** 28,
  spareBytes: SPARE_BYTES,
};

export interface UnpackOptions {
  progress(progress: Progress): void;
  readonly limits?: UnpackLimits;
  /** What may still be written to the disk of a folder. */
  readonly freeBytes?: (folder: string) => Promise<number>;
}

const CHUNK_BYTES = 2 ** 18;
/** How much is written between two looks at the free space, where others write as well, and two reports. */
const CHECK_BYTES = 2 ** 24;

/** How the content of a packed file begins, at most HEAD_BYTES of it. */
export async function unpackedHead(file: PackedFile): Promise<Result<Buffer, TraceFileError>> {
  return catchingWrong(file, async () => {
    const parts: Buffer[] = [];
    let length = 0;
    for await (const part of unpacked(file, () => undefined)) {
      parts.push(part);
      length += part.length;
      if (length >= HEAD_BYTES) break;
    }
    return ok(Buffer.concat(parts).subarray(0, HEAD_BYTES));
  });
}

/** Unpacks the file to `target`, which must not exist. Of one that fails nothing is left. */
export async function unpackTo(
  file: PackedFile,
  target: string,
  options: UnpackOptions,
): Promise<Result<TraceCopy, TraceFileError>> {
  const { limits = unpackLimits, freeBytes = freeBytesIn } = options;
  const result = await catchingWrong(file, async () => {
    const room = async () => (await freeBytes(dirname(target))) - limits.spareBytes;
    // At least so much: nothing that is packed becomes smaller for long.
    if ((await room()) < file.sizeBytes) return noRoom(file);
    return write(file, target, options, limits, room);
  });
  if (!result.ok) await rm(target, { force: true });
  return result;
}

async function write(
  file: PackedFile,
  target: string,
  { progress }: UnpackOptions,
  limits: UnpackLimits,
  room: () => Promise<number>,
): Promise<Result<TraceCopy, TraceFileError>> {
  const largest = Math.min(
    limits.bytes,
    Math.max(limits.ratioFromBytes, file.sizeBytes * limits.ratio),
  );
  const hash = createHash('sha256');
  const output = await open(target, 'wx', 0o600);
  let sizeBytes = 0;
  let checkedAt = 0;
  let readBytes = 0;
  try {
    for await (const part of unpacked(file, (bytes) => (readBytes = bytes))) {
      sizeBytes += part.length;
      if (sizeBytes > largest) throw new PackedWrong('bomb', `more than ${largest} bytes`);
      hash.update(part);
      await output.writeFile(part);
      if (sizeBytes - checkedAt < CHECK_BYTES) continue;
      checkedAt = sizeBytes;
      progress({
        fraction: Math.min(1, readBytes / file.sizeBytes),
        text: `Unpacking ${file.name}`,
      });
      if ((await room()) < 0) return noRoom(file);
    }
    await output.sync();
  } finally {
    await output.close();
  }
  return ok({ sha256: hash.digest('hex'), sizeBytes });
}

/** The content of a packed file in parts; `read` is told how much of the file is behind them. Throws PackedWrong. */
async function* unpacked(
  { path, packing, sizeBytes, keepsCut = false }: PackedFile,
  read: (bytes: number) => void,
): AsyncGenerator<Buffer> {
  const handle = await openForReading(path);
  try {
    const before = await handle.stat({ bigint: true });
    if (before.size !== BigInt(sizeBytes)) throw new PackedWrong('changed', 'another size');
    if (packing === 'gzip') {
      // It reads all members that follow each other, and leaves out the zeros behind the last.
      const flush = keepsCut ? { finishFlush: constants.Z_SYNC_FLUSH } : {};
      const gunzip = createGunzip({ ...zlibOptions, ...flush });
      yield* inflate(handle, { start: 0, end: sizeBytes }, gunzip, read);
    } else {
      const flush = keepsCut ? { finishFlush: constants.ZSTD_e_flush } : {};
      for (const frame of zstdFrames(handle.fd, sizeBytes, keepsCut))
        yield* inflate(handle, frame, createZstdDecompress({ ...zlibOptions, ...flush }), read);
    }
    const after = await handle.stat({ bigint: true });
    if (after.size !== before.size || after.mtimeNs !== before.mtimeNs)
      throw new PackedWrong('changed', 'written to meanwhile');
  } finally {
    await handle.close();
  }
}

const zlibOptions = { chunkSize: CHUNK_BYTES };

async function* inflate(
  handle: FileHandle,
  frame: ZstdFrame,
  decompressor: Transform & { readonly bytesWritten: number },
  read: (bytes: number) => void,
): AsyncGenerator<Buffer> {
  const packed = Readable.from(readFrame(handle, frame));
  // Errors reach the reader of the decompressor; the callback is for who has none.
  pipeline(packed, decompressor, () => undefined);
  try {
    for await (const part of decompressor as AsyncIterable<Buffer>) {
      read(frame.start + decompressor.bytesWritten);
      yield part;
    }
  } catch (thrown) {
    throw zlibFailure(thrown) ?? thrown;
  }
}

async function* readFrame(handle: FileHandle, { start, end }: ZstdFrame): AsyncGenerator<Buffer> {
  for (let position = start; position < end; ) {
    const wanted = Math.min(CHUNK_BYTES, end - position);
    // A buffer of its own: what was handed on is still being read.
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(wanted), 0, wanted, position);
    if (bytesRead === 0) throw new PackedWrong('changed', 'it became shorter');
    position += bytesRead;
    yield buffer.subarray(0, bytesRead);
  }
}

/** What an exception of zlib or zstd means; undefined of others. */
function zlibFailure(thrown: unknown): PackedWrong | undefined {
  if (!(thrown instanceof Error) || !('code' in thrown)) return undefined;
  const code = String(thrown.code);
  if (!/^Z_|^ZSTD_|^ERR_TRAILING_JUNK/.test(code)) return undefined;
  if (code === 'Z_BUF_ERROR') return new PackedWrong('cut', thrown.message);
  if (code.includes('windowTooLarge')) return new PackedWrong('window', thrown.message);
  if (code.includes('dictionary')) return new PackedWrong('dictionary', thrown.message);
  // The first member's header was looked at already: this is what follows the last.
  if (thrown.message === 'incorrect header check')
    return new PackedWrong('trailing', thrown.message);
  return new PackedWrong('damaged', `${code}: ${thrown.message}`);
}

async function catchingWrong<T>(
  { name, packing }: PackedFile,
  run: () => Promise<Result<T, TraceFileError>>,
): Promise<Result<T, TraceFileError>> {
  try {
    return await run();
  } catch (thrown) {
    if (thrown instanceof PackedWrong) return packedFailure(thrown, packing, name);
    if (thrown instanceof Error && 'syscall' in thrown) return fileFailure(thrown, name);
    throw thrown;
  }
}

function noRoom({ name, sizeBytes }: PackedFile): Result<never, 'disk-full'> {
  const message = `There is too little free disk space to unpack “${name}” (${formatBytes(sizeBytes)} packed): free some and try again.`;
  return fail('disk-full', message);
}
