import { stat } from 'node:fs/promises';
import { basename, dirname } from 'node:path';
import { ok, type Result } from '../../shared/rpc/result.ts';
import type { CallContext, CommonError } from '../../shared/rpc/rpc.ts';
import type { TraceFileError } from '../../shared/rpc/trace-file-errors.ts';
import { unpackedName } from '../../trace/content/packing.ts';
import type { Part } from '../file-store/file-store.ts';
import { receiveFailure } from '../file-store/receive-stream.ts';
import type { Services } from '../services/services.ts';
import type { Intake } from './copy-rule.ts';

/** A file as an entry of the library has it: the user's own, or a copy, which is ours until `release`. */
export interface TakenFile {
  readonly path: string;
  readonly sizeBytes: number;
  readonly storage: 'copied' | 'referenced';
  readonly sha256?: string;
  /** What the user gave, where the copy is called after what was in that. */
  readonly givenName?: string;
  /** Of a copy, the folder that it was made from. */
  readonly folder?: string;
  /** `isListed`: an entry has it now. Of what no entry has, a copy made for it goes. */
  release(isListed: boolean): Promise<void>;
}

type TakeError = TraceFileError | CommonError;

export async function takeFile(
  services: Services,
  path: string,
  intake: Intake,
  context: CallContext,
): Promise<Result<TakenFile, TakeError>> {
  if (intake !== 'reference') return takeCopy(services, path, intake, context);
  const sizeBytes = (await stat(path).catch(() => undefined))?.size ?? 0;
  const storage = (await services.files.owns(path)) ? 'copied' : 'referenced';
  return ok({ path, sizeBytes, storage, release: async () => undefined });
}

async function takeCopy(
  { files, copier }: Services,
  path: string,
  intake: Intake,
  context: CallContext,
): Promise<Result<TakenFile, TakeError>> {
  const name = basename(path);
  // Of a compressed file the copy is what is in it, and is called so.
  const isPacked = intake === 'packed';
  let part: Part | undefined;
  try {
    part = await files.newPart(isPacked ? unpackedName(name) : name);
    const copied = await copier.copy(path, part.path, context);
    if (!copied.ok) return copied;
    const taken = await takePart({ files }, { part, ...copied.value });
    const folder = basename(dirname(path));
    return ok({ ...taken, ...(isPacked && { givenName: name }), ...(folder !== '' && { folder }) });
  } catch (thrown) {
    return receiveFailure(thrown);
  } finally {
    if (part !== undefined) await files.discard(part);
  }
}

/** Keeps a whole copy. Throws where it can't be put in its place. */
export async function takePart(
  { files }: Pick<Services, 'files'>,
  {
    part,
    sha256,
    sizeBytes,
  }: { readonly part: Part; readonly sha256: string; readonly sizeBytes: number },
): Promise<TakenFile> {
  const path = await files.keep(part, { sha256, sizeBytes });
  const release = (isListed: boolean) => files.release(path, isListed);
  return { path, sizeBytes, sha256, storage: 'copied', release };
}
