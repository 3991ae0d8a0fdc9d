import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import type { CallError, CallValue } from '../../contract/contract.ts';
import { describeThrown, fail, ok, type Result } from '../../shared/rpc/result.ts';
import type { CallContext } from '../../shared/rpc/rpc.ts';
import { makeFolder } from '../../system/make-folder.ts';
import { allowedPath } from '../paths/allowed-path.ts';
import type { Services } from '../services/services.ts';
import { removeScratch, scratchFolderOf } from '../traces/scratch-folders.ts';
import { kindOfFile } from './kind-of-file.ts';
import { unpackArchive } from './unpack-archive.ts';

type Opened = Result<CallValue<'trace.openFile'>, CallError<'trace.openFile'>>;

/** Opens a trace, or the one in a .stalltrace file, that need not be in the library. */
export async function openFile(
  services: Services,
  path: string,
  context: CallContext,
): Promise<Opened> {
  const allowed = await allowedPath(services.platform, path);
  if (!allowed.ok) return allowed;
  const file = allowed.value;
  return (await kindOfFile(file)) === 'archive'
    ? openPacked(services, file, context)
    : openTrace(services, file, context);
}

async function openTrace(
  { traces }: Services,
  path: string,
  context: CallContext,
): Promise<Opened> {
  const opened = await traces.open(path, context);
  if (!opened.ok) return opened;
  const { id: traceId, summary } = opened.value;
  traces.useBy(traceId, context.session);
  return ok({ traceId, summary });
}

/** The process of a trace reads its file once, when it is opened: after that nobody needs it. */
async function openPacked(services: Services, path: string, context: CallContext): Promise<Opened> {
  const made = await makeScratch(services);
  if (!made.ok) return made;
  try {
    const unpacked = await unpackArchive(path, made.value, context);
    return unpacked.ok ? await openTrace(services, unpacked.value.tracePath, context) : unpacked;
  } finally {
    await removeScratch(made.value);
  }
}

/** A folder for what is needed for a moment; a crash's is removed by a later start. */
export async function makeScratch({
  dataFolder,
}: Pick<Services, 'dataFolder'>): Promise<Result<string, 'no-temporary-folder'>> {
  const folder = scratchFolderOf(join(dataFolder.path, 'scratch'), randomUUID());
  try {
    await makeFolder(folder);
    return ok(folder);
  } catch (thrown) {
    const message = `${dataFolder.path} cannot be written: change its permissions, or choose another data folder in the settings.`;
    return fail('no-temporary-folder', message, describeThrown(thrown));
  }
}
