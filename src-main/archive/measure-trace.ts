import { createHash } from 'node:crypto';
import type { FileHandle } from 'node:fs/promises';
import type { Progress } from '../shared/rpc/rpc.ts';

const CHUNK_BYTES = 2 ** 18;
const PROGRESS_BYTES = 8 * 2 ** 20;

/** The trace changed while it was packed. */
export class TraceChanged extends Error {}

/** Reads `trace`, of `sizeBytes`, from its begin, and hands its SHA-256 to `done` before it ends. */
export async function* measureTrace(
  trace: FileHandle,
  sizeBytes: number,
  progress: (progress: Progress) => void,
  done: (sha256: string) => void,
): AsyncGenerator<Buffer> {
  const before = await trace.stat({ bigint: true });
  const hash = createHash('sha256');
  let position = 0;
  let toldBytes = 0;
  while (position < sizeBytes) {
    const wanted = Math.min(CHUNK_BYTES, sizeBytes - position);
    // A buffer of its own: what was yielded is still on its way when the next chunk is read.
    const { buffer, bytesRead } = await trace.read(Buffer.alloc(wanted), 0, wanted, position);
    if (bytesRead === 0) throw new TraceChanged('the trace became shorter');
    position += bytesRead;
    const chunk = buffer.subarray(0, bytesRead);
    hash.update(chunk);
    yield chunk;
    if (position - toldBytes < PROGRESS_BYTES) continue;
    toldBytes = position;
    progress({ fraction: position / sizeBytes, text: 'Packing' });
  }
  const after = await trace.stat({ bigint: true });
  if (after.size !== BigInt(sizeBytes) || after.mtimeNs !== before.mtimeNs)
    throw new TraceChanged('it was written to');
  done(hash.digest('hex'));
}
