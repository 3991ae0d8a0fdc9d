import { type FileHandle, open, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { fail, ok, type Result } from '../shared/rpc/result.ts';
import type { Progress } from '../shared/rpc/rpc.ts';
import { formatBytes } from '../shared/text/units.ts';
import { freeBytesIn } from '../system/disk-room.ts';
import type { ArchivePart } from './check-parts.ts';
import { readEntry, WrongContent } from './read-entry.ts';

const PROGRESS_BYTES = 8 * 2 ** 20;

export interface UnpackOptions {
  readonly signal: AbortSignal;
  progress(progress: Progress): void;
}

/** Room for `sizeBytes` in `folder`, with `spareBytes` left for everybody else. */
export async function checkRoom(
  folder: string,
  sizeBytes: number,
  spareBytes: number,
  shown: string,
): Promise<Result<null, 'disk-full'>> {
  const freeBytes = await freeBytesIn(folder);
  if (freeBytes >= sizeBytes + spareBytes) return ok(null);
  const message = `Unpacking “${shown}” needs ${formatBytes(sizeBytes + spareBytes)} of free disk space: free some and try again.`;
  return fail('disk-full', message, `${freeBytes} bytes free in ${folder}`);
}

/**
 * Unpacks the trace to `folder`/trace.db, which must not exist, and returns its path. Where that
 * fails, by an exception, nothing is left of it.
 */
export async function unpackTrace(
  archive: FileHandle,
  { entry, sha256 }: ArchivePart,
  folder: string,
  { signal, progress }: UnpackOptions,
): Promise<string> {
  const path = join(folder, 'trace.db');
  const file = await open(path, 'wx', 0o600);
  try {
    let writtenBytes = 0;
    let toldBytes = 0;
    async function write(chunk: Buffer): Promise<void> {
      await file.writeFile(chunk);
      writtenBytes += chunk.length;
      if (writtenBytes - toldBytes < PROGRESS_BYTES) return;
      toldBytes = writtenBytes;
      progress({ fraction: writtenBytes / entry.sizeBytes, text: 'Unpacking' });
    }
    const digest = await readEntry(archive, entry, write, signal);
    if (digest.sha256 !== sha256) throw new WrongContent(`${entry.name} has another SHA-256`);
    await file.sync();
    await file.close();
    signal.throwIfAborted();
    return path;
  } catch (thrown) {
    await file.close().catch(() => undefined);
    await rm(path, { force: true });
    throw thrown;
  }
}
