import { stat } from 'node:fs/promises';
import { basename, join } from 'node:path';
import type { CallError } from '../../contract/contract.ts';
import type { Investigation } from '../../shared/library/investigation.ts';
import { fail, ok, type Result } from '../../shared/rpc/result.ts';
import type { CallContext } from '../../shared/rpc/rpc.ts';
import { unpackedName } from '../../trace/content/packing.ts';
import { kindOfFile } from '../opening/kind-of-file.ts';
import { makeScratch } from '../opening/open-file.ts';
import { hasLog } from '../opening/sidecars.ts';
import { allowedPath } from '../paths/allowed-path.ts';
import type { Services } from '../services/services.ts';
import { removeScratch } from '../traces/scratch-folders.ts';
import { idsWithBytes, type Sought } from './same-bytes.ts';

/**
 * The listed entry with the file at `path`: the one that has it there, else one that has its bytes
 * elsewhere, as the library's copies are. Of a compressed file the bytes that count are those in it.
 * Changes nothing. A file that can't be read is nobody's here: opening it says what is wrong.
 */
export async function findFile(
  services: Services,
  path: string,
  context: CallContext,
): Promise<Result<Investigation | null, CallError<'library.findFile'>>> {
  const allowed = await allowedPath(services.platform, path);
  if (!allowed.ok) return allowed;
  const listed = await services.library.call('list', {});
  if (!listed.ok) return listed;
  const there = listed.value.find((entry) => entry.path === allowed.value);
  if (there !== undefined) return ok(there);
  // Of others the file holds no trace, or other bytes than the notes are about.
  const usable = listed.value.filter(({ state }) => state === 'ok');
  const bytes = usable.length > 0 ? await bytesAt(services, allowed.value, context) : undefined;
  if (context.signal.aborted) return fail('cancelled', 'Cancelled.');
  if (bytes === undefined) return ok(null);
  const ofSize = usable.filter(({ sizeBytes }) => sizeBytes === bytes.sizeBytes);
  const [id] = await idsWithBytes(services.library, ofSize, bytes, context);
  return ok(ofSize.find((entry) => entry.id === id) ?? null);
}

/** What an entry with this file has been hashed as; nothing where a log beside it holds part of its data. */
async function bytesAt(
  services: Services,
  path: string,
  context: CallContext,
): Promise<Sought | undefined> {
  if ((await kindOfFile(path)) === 'packed') return bytesWithin(services, path, context);
  if (await hasLog(path)) return undefined;
  const file = await stat(path).catch(() => undefined);
  return file?.isFile() ? { path, sizeBytes: file.size } : undefined;
}

async function bytesWithin(
  services: Services,
  path: string,
  context: CallContext,
): Promise<Sought | undefined> {
  const scratch = await makeScratch(services);
  if (!scratch.ok) return undefined;
  try {
    const target = join(scratch.value, unpackedName(basename(path)));
    const copied = await services.copier.copy(path, target, context);
    return copied.ok ? { path, ...copied.value } : undefined;
  } finally {
    await removeScratch(scratch.value);
  }
}
