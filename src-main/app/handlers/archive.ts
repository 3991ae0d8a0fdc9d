import { isAbsolute } from 'node:path';
import { TraceChanged } from '../../archive/measure-trace.ts';
import type { CallError } from '../../contract/contract.ts';
import type { WrittenFile } from '../../shared/contract/archive-calls.ts';
import { describeThrown, fail, ok, type Result } from '../../shared/rpc/result.ts';
import type { CallContext } from '../../shared/rpc/rpc.ts';
import { checkTarget, type Write, writeNewFile } from '../../system/write-file.ts';
import {
  archiveName,
  type PackError,
  type PackedArchive,
  packArchive,
} from '../opening/pack-archive.ts';
import { allowedPath } from '../paths/allowed-path.ts';
import type { AreaHandlers, Services } from '../services/services.ts';

export function archiveHandlers(services: Services): AreaHandlers<'archive'> {
  const { platform, library } = services;
  return {
    async 'archive.save'({ id }, context) {
      if (platform.chooseSavePath === undefined) {
        const message = 'This host has no file dialog: download the file in the browser.';
        return fail('no-dialog', message);
      }
      const found = await library.call('find', { id });
      if (!found.ok) return found;
      const path = await platform.chooseSavePath(archiveName(found.value));
      return path === null ? ok(null) : writeTo(services, id, path, true, context);
    },
    'archive.write': ({ id, path, overwrite }, context) =>
      writeTo(services, id, path, overwrite, context),
  };
}

async function writeTo(
  services: Services,
  id: number,
  path: string,
  overwrite: boolean,
  context: CallContext,
): Promise<Result<WrittenFile, CallError<'archive.write'>>> {
  if (!isAbsolute(path)) {
    return fail('file-unwritable', `${path} does not say in which folder: give the whole path.`);
  }
  const allowed = await allowedPath(services.platform, path);
  if (!allowed.ok) return allowed;
  const target = allowed.value;
  const free = await checkTarget(target, overwrite);
  if (!free.ok) return free;
  const packed = await packArchive(services, id, context);
  if (!packed.ok) return packed;
  const { stream, tracePath } = packed.value;
  if (tracePath === target) {
    stream.destroy();
    return fail('file-unwritable', `${target} is the trace itself: choose another name.`);
  }
  return writeNewFile(target, overwrite, (write) => drain(packed.value, write, context));
}

/** Hands all bytes of an archive to `write`, whose exceptions pass: they are not the archive's. */
async function drain(
  { stream, tracePath }: PackedArchive,
  write: Write,
  { signal }: CallContext,
): Promise<Result<null, PackError>> {
  const chunks = stream.iterator() as AsyncIterator<Buffer, undefined>;
  try {
    for (;;) {
      const next = await chunks.next().catch((thrown: unknown) => ({ thrown }));
      if (signal.aborted) return fail('cancelled', 'Cancelled.');
      if ('thrown' in next) return packFailure(next.thrown, tracePath);
      if (next.done) return ok(null);
      await write(next.value);
    }
  } finally {
    stream.destroy();
  }
}

/** What an exception of the stream means for the user; one that is a bug is thrown on. */
function packFailure(thrown: unknown, tracePath: string): Result<never, PackError> {
  if (thrown instanceof TraceChanged) {
    const message = `${tracePath} was written to while it was packed: stop its recorder, then save it again.`;
    return fail('file-busy', message, describeThrown(thrown));
  }
  if (!(thrown instanceof Error && 'syscall' in thrown)) throw thrown;
  const message = `${tracePath} cannot be read to its end: check the disk it is on.`;
  return fail('file-unreadable', message, describeThrown(thrown));
}
