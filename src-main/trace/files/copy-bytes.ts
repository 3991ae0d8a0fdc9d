import { createHash } from 'node:crypto';
import {
  type BigIntStats,
  closeSync,
  constants,
  fstatSync,
  fsyncSync,
  openSync,
  readSync,
  rmSync,
  statfsSync,
  writeSync,
} from 'node:fs';
import { dirname } from 'node:path';
import { fail, ok, type Result } from '../../shared/rpc/result.ts';
import type { Progress } from '../../shared/rpc/rpc.ts';
import type { TraceFileError } from '../../shared/rpc/trace-file-errors.ts';
import { formatBytes } from '../../shared/text/units.ts';
import { fileFailure } from '../content/file-failure.ts';
import type { PlainFile } from '../content/plain-file.ts';
import type { TraceCopy } from '../content/trace-copy.ts';

export interface CopyOptions {
  progress(progress: Progress): void;
}

/** For messages. */
type CopiedFile = Pick<PlainFile, 'name' | 'sizeBytes'>;

const CHUNK_BYTES = 4 * 2 ** 20;
/** Left free on the disk for everybody else. */
const SPARE_BYTES = 16 * 2 ** 20;

/**
 * Copies the bytes at `from`, which are the file's own or its private copy's, to `target`, which must not
 * exist. Of a copy that fails, or whose source changes meanwhile, nothing is left.
 */
export function copyBytes(
  file: CopiedFile,
  from: string,
  target: string,
  options: CopyOptions,
): Result<TraceCopy, TraceFileError> {
  let source: number | undefined;
  let written: number | undefined;
  let copied: TraceCopy | undefined;
  try {
    source = openSync(from, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
    const before = fstatSync(source, { bigint: true });
    const { bavail, bsize } = statfsSync(dirname(target));
    if (bavail * bsize < Number(before.size) + SPARE_BYTES)
      return noRoom(file, `${bavail * bsize} bytes free`);
    written = openSync(target, 'wx', 0o600);
    const all = pump(source, written, before.size, (doneBytes) =>
      options.progress({
        fraction: Math.min(1, doneBytes / Number(before.size)),
        text: `Copying ${file.name}`,
      }),
    );
    if (!isSame(before, fstatSync(source, { bigint: true }), all.sizeBytes))
      return changedMeanwhile(file);
    fsyncSync(written);
    copied = all;
    return ok(all);
  } catch (thrown) {
    return copyFailure(thrown, file);
  } finally {
    if (source !== undefined) closeSync(source);
    if (written !== undefined) closeSync(written);
    if (written !== undefined && copied === undefined) rmSync(target, { force: true });
  }
}

/** Copies to the end of `source`, or just past where it was, in one pass; hashes on the way. */
function pump(
  source: number,
  target: number,
  endBytes: bigint,
  progress: (doneBytes: number) => void,
): TraceCopy {
  const hash = createHash('sha256');
  const chunk = Buffer.alloc(CHUNK_BYTES);
  let sizeBytes = 0;
  for (;;) {
    const length = readSync(source, chunk, 0, CHUNK_BYTES, null);
    // One that grows as fast as it is read has no end.
    if (length === 0 || sizeBytes > endBytes) return { sha256: hash.digest('hex'), sizeBytes };
    const bytes = chunk.subarray(0, length);
    hash.update(bytes);
    for (let done = 0; done < length; ) done += writeSync(target, bytes, done);
    sizeBytes += length;
    progress(sizeBytes);
  }
}

function isSame(before: BigIntStats, after: BigIntStats, copiedBytes: number): boolean {
  return (
    before.mtimeNs === after.mtimeNs &&
    [before.size, after.size].every((size) => size === BigInt(copiedBytes))
  );
}

/** Which of its versions the copy holds can't be told. */
export function changedMeanwhile({ name }: CopiedFile): Result<never, 'file-busy'> {
  return fail(
    'file-busy',
    `“${name}” was written to while it was copied: stop the recorder, then add it again.`,
  );
}

function noRoom({ name, sizeBytes }: CopiedFile, detail: string): Result<never, 'disk-full'> {
  return fail(
    'disk-full',
    `The disk of the library has no room for a copy of “${name}” (${formatBytes(sizeBytes)}): free disk space and try again.`,
    detail,
  );
}

function copyFailure(thrown: unknown, file: CopiedFile): Result<never, TraceFileError> {
  const failure = fileFailure(thrown, file.name);
  if (failure.ok || failure.error.code !== 'disk-full') return failure;
  return noRoom(file, failure.error.detail ?? '');
}
