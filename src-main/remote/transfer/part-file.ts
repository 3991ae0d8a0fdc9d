import { constants } from 'node:fs';
import { type FileHandle, open, rename, rm, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { describeThrown, fail, ok, type Result } from '../../shared/rpc/result.ts';
import { formatBytes } from '../../shared/text/units.ts';
import { freeBytesIn, SPARE_BYTES } from '../../system/disk-room.ts';
import { errnoOf } from '../../system/errno.ts';
import { flushFolder } from '../../system/flush-folder.ts';
import { type StateError, unwritable } from '../state/state-file.ts';

export type DiskError = 'disk-full' | StateError;

/** The trace while it is being fetched: as long as it will be, with holes. */
export interface PartFile {
  readonly path: string;
  /** For threads, which write into it before it is closed. */
  readonly fd: number;
  /** Undefined where the file is shorter than that or the disk can't read it. */
  read(into: Buffer, offset: number): Promise<Buffer | undefined>;
  /** What was written is on the disk when this returns. */
  flush(): Promise<void>;
  /** Gives it its name, for good: the file and its name are on the disk when this returns. */
  finish(path: string): Promise<void>;
  close(): Promise<void>;
}

/**
 * Opens or makes the file of `bytes`; what an existing one of that length holds is kept where `keep`.
 * Refuses where the disk has no room for the rest of it beside what is left free for everybody else.
 */
export async function openPart(
  path: string,
  bytes: number,
  keep: boolean,
): Promise<Result<PartFile, DiskError>> {
  try {
    if (!keep) await rm(path, { force: true });
    const room = await checkRoom(path, bytes);
    if (!room.ok) return room;
    const { O_RDWR, O_CREAT, O_NOFOLLOW = 0 } = constants;
    const file = await open(path, O_RDWR | O_CREAT | O_NOFOLLOW, 0o600);
    // The library may have this file too, and knows it by when it was changed.
    if ((await file.stat()).size !== bytes) await file.truncate(bytes);
    return ok(partFile(path, file));
  } catch (thrown) {
    return diskFailure(path, bytes, thrown);
  }
}

function partFile(path: string, file: FileHandle): PartFile {
  return {
    path,
    fd: file.fd,
    async read(bytes, offset) {
      const { length } = bytes;
      for (let done = 0; done < length; ) {
        const { bytesRead } = await file
          .read(bytes, done, length - done, offset + done)
          .catch(() => ({ bytesRead: 0 }));
        if (bytesRead === 0) return undefined;
        done += bytesRead;
      }
      return bytes;
    },
    flush: () => file.datasync(),
    async finish(named) {
      await file.sync();
      await file.close();
      await rename(path, named);
      await flushFolder(dirname(named));
    },
    close: () => file.close(),
  };
}

/** Whether an earlier attempt left a file of this length. */
export async function hasPart(path: string, bytes: number): Promise<boolean> {
  const found = await stat(path).catch(() => undefined);
  return found?.isFile() === true && found.size === bytes;
}

async function checkRoom(path: string, bytes: number): Promise<Result<null, 'disk-full'>> {
  const missing = await missingOf(path, bytes);
  const free = await freeBytesIn(dirname(path));
  return missing + SPARE_BYTES > free ? diskFull(bytes, missing, free) : ok(null);
}

/** Whether the disk that a part of `bytes` is on has what is left free on it. */
export async function keepsSpare(path: string, bytes: number): Promise<Result<null, 'disk-full'>> {
  const free = await freeBytesIn(dirname(path)).catch(() => SPARE_BYTES);
  return free < SPARE_BYTES ? diskFull(bytes, await missingOf(path, bytes), free) : ok(null);
}

async function missingOf(path: string, bytes: number): Promise<number> {
  const here = ((await stat(path).catch(() => undefined))?.blocks ?? 0) * 512;
  return Math.max(0, bytes - here);
}

function diskFull(bytes: number, missing: number, free: number): Result<never, 'disk-full'> {
  return fail(
    'disk-full',
    `${formatBytes(missing)} of the trace (${formatBytes(bytes)}) are still to come. This disk has ${formatBytes(free)} free, and Stalltrace leaves ${formatBytes(SPARE_BYTES)} unused. Free some space, then bring the trace back again; what is here is kept.`,
  );
}

/** What became of writing the part of a trace of `bytes`. */
export async function diskFailure(
  path: string,
  bytes: number,
  thrown: unknown,
): Promise<Result<never, DiskError>> {
  if (!['ENOSPC', 'EDQUOT'].includes(errnoOf(thrown))) return unwritable(path, thrown);
  const free = await freeBytesIn(dirname(path)).catch(() => 0);
  const full = diskFull(bytes, await missingOf(path, bytes), free);
  return full.ok ? full : fail(full.error.code, full.error.message, describeThrown(thrown));
}
