import type { Readable } from 'node:stream';
import type { WrittenFile } from '../../shared/contract/archive-calls.ts';
import { fail, ok, type Result } from '../../shared/rpc/result.ts';
import { type Write, writeNewFile } from '../../system/write-file.ts';

/** How a file is made of a stream. */
interface Writing<Code extends string> {
  readonly stream: Readable;
  /** Absolute, and checked. */
  readonly target: string;
  readonly overwrite: boolean;
  readonly signal: AbortSignal;
  /** What an exception of the stream means for the user; one that is a bug is thrown on. */
  readonly failureOf: (thrown: unknown) => Result<never, Code>;
  readonly onWritten?: (bytes: number) => void;
}

/** Writes all bytes of a stream, or nothing, to a file. The stream is ended in any case. */
export async function writeStream<Code extends string>(
  writing: Writing<Code>,
): Promise<Result<WrittenFile, Code | WriteCode>> {
  const { stream, target, overwrite } = writing;
  try {
    return await writeNewFile(target, overwrite, (write) => drain(writing, write));
  } finally {
    stream.destroy();
  }
}

type WriteCode = 'cancelled' | 'file-exists' | 'file-unwritable' | 'disk-full';

/** Hands all bytes to `write`, whose exceptions pass: they are not the stream's. */
async function drain<Code extends string>(
  { stream, signal, failureOf, onWritten }: Writing<Code>,
  write: Write,
): Promise<Result<null, Code | 'cancelled'>> {
  const chunks = stream.iterator() as AsyncIterator<Buffer, undefined>;
  let bytes = 0;
  for (;;) {
    const next = await chunks.next().catch((thrown: unknown) => ({ thrown }));
    if (signal.aborted) return fail('cancelled', 'Cancelled.');
    if ('thrown' in next) return failureOf(next.thrown);
    if (next.done) return ok(null);
    await write(next.value);
    bytes += next.value.length;
    onWritten?.(bytes);
  }
}
