import type { WrittenFile } from '../../shared/contract/archive-calls.ts';
import { fail, ok, type Result } from '../../shared/rpc/result.ts';
import type { CallContext } from '../../shared/rpc/rpc.ts';
import { writeNewFile } from '../../system/write-file.ts';

/** Writes a text to a file, or to stdout, which may be a pipe that is read slowly. */
export async function writeText(
  path: string,
  text: string,
  overwrite: boolean,
  { signal }: CallContext,
): Promise<Result<WrittenFile>> {
  const ended = text.endsWith('\n') ? text : `${text}\n`;
  if (path === '-') {
    // What goes wrong with stdout is reported where its errors are: in cli.ts.
    await new Promise<void>((resolve) => process.stdout.write(ended, () => resolve()));
    return ok({ path, sizeBytes: Buffer.byteLength(ended) });
  }
  return writeNewFile(path, overwrite, async (write) => {
    await write(ended);
    return signal.aborted ? fail('cancelled', 'Cancelled.') : ok(null);
  });
}
