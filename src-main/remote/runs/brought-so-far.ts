import type { TransferProgress } from '../../shared/remote/run.ts';
import { readTransfer } from '../transfer/transfer-state.ts';

/** What of a trace an earlier attempt brought here; undefined where there was none. */
export async function broughtSoFar(folder: string): Promise<TransferProgress | undefined> {
  const record = await readTransfer(folder);
  if (record === undefined) return undefined;
  const { file, frames, frameBytes } = record;
  const here = frames.filter((hash) => hash !== null).length * frameBytes;
  return {
    totalBytes: file.bytes,
    doneBytes: Math.min(here, file.bytes),
    wireBytes: 0,
    bytesPerSecond: 0,
    step: 'waiting',
  };
}
