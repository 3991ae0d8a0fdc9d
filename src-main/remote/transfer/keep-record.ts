import type { Failure, Result } from '../../shared/rpc/result.ts';
import type { TransferRecord } from '../state/run-record.ts';
import { type DiskError, diskFailure, keepsSpare, type PartFile } from './part-file.ts';
import { writeTransfer } from './transfer-state.ts';

const EVERY_MS = 1000;

/** Writes down what is here, so that it need not be fetched again after the app ended. */
export interface KeptRecord {
  /** SHA-256 of frame n, hex; null: not here. */
  readonly frames: readonly (string | null)[];
  set(frame: number, sha256: string | null): void;
  /** Stops, and writes down the last of it. */
  close(): Promise<void>;
}

/**
 * Writes `record` into `folder` at most once a second, each time after the bytes it claims are on the
 * disk. `failed` hears of a disk that takes no more.
 */
export function keepRecord(
  folder: string,
  record: TransferRecord,
  part: PartFile,
  failed: (error: Failure<DiskError>) => void,
): KeptRecord {
  const frames = [...record.frames];
  let isNew = false;
  let last: Promise<void> = Promise.resolve();

  async function write(): Promise<void> {
    if (!isNew) return;
    isNew = false;
    // What comes while the bytes are being flushed is claimed the next time.
    const claimed = { ...record, frames: [...frames] };
    const written = await flushed(part, record.file.bytes, () => writeTransfer(folder, claimed));
    if (!written.ok) isNew = true;
    // Others write to this disk too.
    const kept = written.ok ? await keepsSpare(part.path, record.file.bytes) : written;
    if (!kept.ok) failed(kept.error);
  }

  let isWriting = false;
  const timer = setInterval(() => {
    if (isWriting) return;
    isWriting = true;
    last = write().finally(() => {
      isWriting = false;
    });
  }, EVERY_MS);
  timer.unref();
  return {
    frames,
    set(frame, sha256) {
      frames[frame] = sha256;
      isNew = true;
    },
    async close() {
      clearInterval(timer);
      await last;
      await write();
    },
  };
}

async function flushed(
  part: PartFile,
  bytes: number,
  write: () => Promise<Result<null, DiskError>>,
): Promise<Result<null, DiskError>> {
  try {
    await part.flush();
  } catch (thrown) {
    return diskFailure(part.path, bytes, thrown);
  }
  return write();
}
