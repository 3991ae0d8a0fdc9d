import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Result } from '../../shared/rpc/result.ts';
import { type TransferRecord, transferRecord } from '../state/run-record.ts';
import { readState, type StateError, writeState } from '../state/state-file.ts';
import type { FileIdentity } from './frame-channel.ts';

/** Large enough to compress well, small enough to lose. */
const FRAME_BYTES = 4 * 1024 ** 2;

const pathIn = (folder: string) => join(folder, 'transfer.json');
/** What is here of the trace while it is being fetched. */
export const partIn = (folder: string) => join(folder, 'trace.part');

/** What an earlier attempt brought. */
export function readTransfer(folder: string): Promise<TransferRecord | undefined> {
  return readState(pathIn(folder), transferRecord);
}

export function writeTransfer(
  folder: string,
  record: TransferRecord,
): Promise<Result<null, StateError>> {
  return writeState(pathIn(folder), record);
}

/** Of a host that broke its word nothing is kept. */
export async function dropTransfer(folder: string): Promise<void> {
  for (const path of [partIn(folder), pathIn(folder)]) await rm(path, { force: true });
}

export function newTransfer(file: FileIdentity): TransferRecord {
  const frames = Math.ceil(file.bytes / FRAME_BYTES);
  const { bytes, inode, modifiedUnixNs } = file;
  return {
    v: 1,
    file: { bytes, inode, modifiedUnixNs },
    frameBytes: FRAME_BYTES,
    frames: new Array<string | null>(frames).fill(null),
  };
}

/** Whether a record makes sense for the file that it names. */
export function isWhole({ file, frameBytes, frames }: TransferRecord): boolean {
  return frameBytes === FRAME_BYTES && frames.length === Math.ceil(file.bytes / frameBytes);
}
