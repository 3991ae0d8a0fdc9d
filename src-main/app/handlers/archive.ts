import { TraceChanged } from '../../archive/measure-trace.ts';
import type { CallError } from '../../contract/contract.ts';
import type { WrittenFile } from '../../shared/contract/archive-calls.ts';
import { describeThrown, fail, type Result } from '../../shared/rpc/result.ts';
import type { CallContext } from '../../shared/rpc/rpc.ts';
import { archiveName, type PackError, packArchive } from '../opening/pack-archive.ts';
import { writeStream } from '../opening/write-stream.ts';
import { checkSaving, refuseTrace, saveWhereChosen } from '../paths/save-target.ts';
import type { AreaHandlers, Services } from '../services/services.ts';

export function archiveHandlers(services: Services): AreaHandlers<'archive'> {
  const { platform, library } = services;
  return {
    async 'archive.save'({ id }, context) {
      const found = await library.call('find', { id });
      if (!found.ok) return found;
      return saveWhereChosen(platform, archiveName(found.value), (path) =>
        writeTo(services, id, path, true, context),
      );
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
  const target = await checkSaving(services.platform, path, overwrite);
  if (!target.ok) return target;
  const packed = await packArchive(services, id, context);
  if (!packed.ok) return packed;
  const { stream, tracePath } = packed.value;
  const refused = await refuseTrace(target.value, tracePath);
  if (refused !== undefined) {
    stream.destroy();
    return refused;
  }
  return writeStream({
    ...{ stream, target: target.value, overwrite, signal: context.signal },
    failureOf: (thrown) => packFailure(thrown, tracePath),
  });
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
